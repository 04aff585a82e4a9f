-- wrk: post the lines of a file of bodies in turn to /api/v1/infer, and count the answers by status.
-- Arguments after --: the file.
local counters = {}

function setup(thread)
    thread:set("statuses", "")
    table.insert(counters, thread)
end

function init(args)
    bodies, next_body, counts = {}, 0, {}
    for line in io.lines(args[1]) do table.insert(bodies, line) end
end

function request()
    next_body = next_body % #bodies + 1
    return wrk.format("POST", "/api/v1/infer", {["Content-Type"] = "application/json"}, bodies[next_body])
end

function response(status)
    counts[status] = (counts[status] or 0) + 1
    statuses = ""
    for code, n in pairs(counts) do statuses = statuses .. code .. " " .. n .. "\n" end
end

function done(summary, latency)
    local sums = {}
    for _, thread in ipairs(counters) do
        for code, n in string.gmatch(thread:get("statuses"), "(%d+) (%d+)") do
            sums[code] = (sums[code] or 0) + n
        end
    end
    for code, n in pairs(sums) do io.write("status ", code, " ", n, "\n") end
    local e = summary.errors
    io.write("errors ", e.connect + e.read + e.write, "\n")
end
