#!/usr/bin/env bash
# The service of systemd and the proxy with accounts of contrib/: run_proxy.sh BIN_DIR
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
. "$here/serve.sh"
export PATH="$1:$PATH:/usr/sbin" LC_ALL=C
work=$(mktemp -d)
server= proxy=
trap 'for job in $server $proxy; do kill "$job" 2>/dev/null; done; wait; rm -rf "$work"' EXIT
cd "$work" || exit 1

unit() {
    local name="the service of systemd is valid and hardened" found
    command -v systemd-analyze >/dev/null || { tap_skip "$name" "no systemd" && return; }
    sed "s|/usr/bin/orrery|$(command -v orrery)|" "$here/../contrib/orrery.service" >orrery.service
    systemd-analyze verify "$work/orrery.service" 2>&1 | grep -F orrery.service | grep -v "Command .man" >report
    found=$(systemd-analyze security --offline=true --no-pager "$work/orrery.service" 2>/dev/null |
        sed -n 's/.*exposure level for .*: \([0-9.]*\) .*/\1/p')
    [ -n "$found" ] || { tap_skip "$name" "this systemd-analyze rates no files" && return; }
    awk -v found="$found" 'BEGIN {exit !(found <= 2)}' || echo "exposure $found, more than 2" >>report
    # A server on 512 cores: a thread per core that answers, and one for each of four searches.
    [ "$(sed -n 's/^TasksMax=//p' "$here/../contrib/orrery.service")" -ge $((5 * 512)) ] || echo "TasksMax is too small" >>report
    # The command of the service is one that the program takes.
    sed -n 's/^ExecStart=[^ ]* \(.*\)/\1/p' "$here/../contrib/orrery.service" | sed 's/--port [0-9]*/--port 0/' >arguments
    # shellcheck disable=SC2046
    timeout -s TERM 2 orrery $(cat arguments) >out 2>&1
    grep -q '^orrery: http' out || cat out >>report
    if [ -s report ]; then tap_not_ok "$name" report; else tap_ok "$name"; fi
}

through_proxy() {
    local name="behind nginx, with accounts and encryption"
    command -v nginx >/dev/null && command -v openssl >/dev/null && command -v curl >/dev/null ||
        { tap_skip "$name" "no nginx, openssl or curl" && return; }
    start_server orrery serve --port 0 --host https://orrery.example
    local port=${url##*:} secure=$((20000 + $$ % 20000))
    openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=orrery.example -keyout key.pem -out cert.pem 2>/dev/null
    printf 'ada:%s\n' "$(openssl passwd -apr1 secret)" >users
    chmod 644 users
    {
        echo "daemon off; pid $work/pid; error_log $work/error.log; events {}"
        [ "$(id -u)" = 0 ] && echo "user root;"
        echo "http { access_log off; client_body_temp_path $work; proxy_temp_path $work; fastcgi_temp_path $work;"
        echo "uwsgi_temp_path $work; scgi_temp_path $work;"
        sed -e "s|listen 443 ssl|listen 127.0.0.1:$secure ssl|" -e "s|127.0.0.1:8080|127.0.0.1:$port|" \
            -e "s|/etc/ssl/certs/orrery.pem|$work/cert.pem|" -e "s|/etc/ssl/private/orrery.key|$work/key.pem|" \
            -e "s|/etc/nginx/orrery.htpasswd|$work/users|" "$here/../contrib/nginx.conf"
        echo "}"
    } >nginx.conf
    nginx -c "$work/nginx.conf" -p "$work" 2>>error.log &
    proxy=$!
    ask() { # expected status, options of curl
        local expected=$1 status
        shift
        status=$(curl -sS -o got -w '%{http_code}' --cacert cert.pem --connect-to "orrery.example:443:127.0.0.1:$secure" "$@")
        [ "$status" = "$expected" ] || echo "status $status, not $expected: $* $(head -c 200 got)"
    }
    for _ in $(seq 100); do [ -e pid ] && break || sleep 0.02; done
    sleep 0.3
    local site=https://orrery.example body='{"model":"llama2-7b","system":"h100-sxm","workload":{"input_len":9,"output_len":9}}'
    {
        ask 401 "$site/api/v1/health"
        ask 401 -u ada:wrong "$site/api/v1/health"
        ask 200 -u ada:secret "$site/api/v1/health"
        ask 200 -u ada:secret -H "Origin: $site" -d "$body" "$site/api/v1/infer"
        grep -q latency_s got || head -c 200 got
        ask 403 -u ada:secret -H "Origin: http://orrery.example" -d "$body" "$site/api/v1/infer"
        ask 200 -u ada:secret -N -d '{"kind":"train","model":"llama2-7b","system":"h100-sxm","gpus":8,"workload":{"global_batch":64}}' "$site/api/v1/search"
        grep -q 'event: result' got || head -c 200 got
        ask 403 -u ada:secret "$site/metrics"
        ask 200 "$site/api/v1/ready"
        # Whoever guesses at a password uses up limits of their own, not those of the account.
        curl -sS --parallel --parallel-max 10 -o /dev/null --cacert cert.pem --interface 127.0.0.2 -u ada:wrong \
            --connect-to "orrery.example:443:127.0.0.1:$secure" "$site/api/v1/health?a[1-50000]" >/dev/null 2>&1 &
        flood=$!
        sleep 0.5
        for _ in $(seq 10); do ask 200 -u ada:secret "$site/api/v1/health"; done
        kill -0 "$flood" 2>/dev/null || echo "the flood ended early"
        kill "$flood" 2>/dev/null
    } >report 2>&1
    if [ -s report ]; then head -20 error.log >>report; tap_not_ok "$name" report; else tap_ok "$name"; fi
}

orrery serve --port x 2>&1 | grep -q "built without" && { tap_skip "server" "built without it" && tap_done && exit 0; }
unit
through_proxy
tap_done
