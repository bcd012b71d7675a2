-- serve.lua - asks a server of Milan between random places (wrk -s): KIND=route|nearest|table, OPTIONS=overview=false
math.randomseed(7)
local kind, options = os.getenv("KIND") or "route", os.getenv("OPTIONS") or "overview=false"
local paths, last = {}, 0

local function place()
    return string.format("%.6f,%.6f", 9.10 + math.random() * 0.2, 45.42 + math.random() * 0.1)
end

local function places(count)
    local list = {}
    for i = 1, count do list[i] = place() end
    return table.concat(list, ";")
end

for i = 1, 2000 do
    if kind == "nearest" then paths[i] = "/nearest/v1/driving/" .. place()
    elseif kind == "table" then paths[i] = "/table/v1/driving/" .. places(100)
    else paths[i] = "/route/v1/driving/" .. places(2) .. "?" .. options end
end

function request()
    last = last % #paths + 1
    return wrk.format("GET", paths[last])
end
