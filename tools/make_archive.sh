#!/usr/bin/env bash
# The archive of a release on standard output: the tree of a commit, and the explorer built from that tree, so that
# packages can be made from it without Node.js and without a network.
#   tools/make_archive.sh [COMMIT] >orrery-VERSION.tar.gz
# The same commit gives the same bytes. The packages of npm come from web/node_modules where they are installed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
commit=${1:-HEAD}
die() { echo "make_archive: $*" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$root"
version=$(git show "$commit:include/orrery.h" | sed -n 's/^#define ORR_VERSION "\(.*\)"$/\1/p')
[ -n "$version" ] || die "$commit has no version"
tree=$work/orrery-$version
mkdir "$tree"
git archive --format=tar "$commit" | tar xf - -C "$tree"

rm -rf "$tree/web/node_modules"
if [ -d "$root/web/node_modules" ] && cmp -s "$root/web/package-lock.json" "$tree/web/package-lock.json"; then
    ln -s "$(readlink -f "$root/web/node_modules")" "$tree/web/node_modules"
else
    (cd "$tree/web" && npm ci) >"$work/log" 2>&1 || { tail -5 "$work/log" >&2; die "npm ci failed"; }
fi
(cd "$tree/web" && npm run build) >"$work/log" 2>&1 || { tail -5 "$work/log" >&2; die "the explorer does not build"; }
rm -rf "$tree/web/node_modules"
[ -e "$tree/web/dist/index.html" ] || die "the explorer is not there"

tar -C "$work" --sort=name --mtime="@$(git log -1 --format=%ct "$commit")" --owner=0 --group=0 --numeric-owner \
    --mode='u+rw,go=rX' -cf - "orrery-$version" | gzip --no-name
