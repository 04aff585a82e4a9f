#!/usr/bin/env bash
# The page of orrery serve in a real browser (web/tests): run_web.sh BIN_DIR
# It is skipped, with the reason, if node, chromium or the page itself is not available.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
web=${here%/tests}/web
skip() { tap_skip web "$1"; tap_done; exit 0; }

command -v node >/dev/null || skip "node is not installed"
browser=$(command -v chromium || command -v chromium-browser) || skip "chromium is not installed"
[ -e "$web/dist/index.html" ] || skip "the page is not built (npm ci && npm run build in web/)"
[ -d "$web/node_modules/playwright-core" ] || skip "the packages of web/ are not installed (npm ci)"
"$1/orrery" serve --help >/dev/null 2>&1 || skip "orrery is built without the server"
export ORRERY_DATADIR="${here%/tests}"
exec node "$web/tests/explorer.mjs" "$1/orrery" "$browser"
