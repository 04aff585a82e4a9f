# Test results in the TAP format, for scripts: tap_ok, tap_not_ok, tap_skip, and tap_done at the end.
tap_count=0
tap_ok() { tap_count=$((tap_count + 1)); printf 'ok %d - %s\n' "$tap_count" "$1"; }
tap_not_ok() { # name [file with details]
    tap_count=$((tap_count + 1)); printf 'not ok %d - %s\n' "$tap_count" "$1"
    if [ $# -gt 1 ]; then sed 's/^/# /' "$2"; fi
}
tap_skip() { tap_count=$((tap_count + 1)); printf 'ok %d - %s # SKIP %s\n' "$tap_count" "$1" "$2"; }
tap_done() { printf '1..%d\n' "$tap_count"; }
