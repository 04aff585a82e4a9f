# A server for scripts: start_server COMMAND... runs it in the background, with its output in the files out and errors,
# until it says its address: $url, and $server is its process. If it does not start, the status is 1.
start_server() {
    : >out
    "$@" >out 2>errors &
    server=$!
    for _ in $(seq 500); do
        url=$(sed -n 's/^orrery: \(http.*\)\/$/\1/p' out)
        [ -n "$url" ] && return
        sleep 0.02
    done
    return 1
}
