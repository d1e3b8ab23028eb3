-- For wrk, by Benchmarks/storefront-load: with as many threads as connections, so that an answer belongs to the last request. Each
-- thread plays its part of the visitors. It reads their cookies of the runs before, and writes a line for each new cookie ("cookie",
-- the visitor, the cookie) and for each answer (what was asked, the status, microseconds). `load` of that program says the rest.
local ffi = require("ffi")
ffi.cdef("typedef struct { long seconds, nanoseconds; } moment; int clock_gettime(int clock, moment *now);")

local loginShare, logoutShare = 0.05, 0.02
-- A product's page logs a view of the product beside that of the page.
local paths = { "/", "/products/b-1", "/products/t-1", "/products/b-2" }
-- Without the name of a browser it would be a bot.
local agent = "Mozilla/5.0 (storefront-load)"

local moment = ffi.new("moment")
local people, pages, answers, calls, due, interval, lastMoment
local cookies, latest = {}, nil
-- Of the request that waits for its answer.
local visitor, kind, began

local function setting(name)
  return os.getenv("LOAD_" .. name)
end

-- Microseconds of the monotonic clock.
local function now()
  ffi.C.clock_gettime(1, moment)
  return tonumber(moment.seconds) * 1e6 + tonumber(moment.nanoseconds) / 1e3
end

-- Numbers from 1, of which number k comes 1 / k as often as number 1: the sums of the weights up to each.
local function zipf(count)
  local sums, sum = {}, 0
  for rank = 1, count do
    sum = sum + 1 / rank
    sums[rank] = sum
  end
  return sums
end

local function draw(sums)
  local point, low, high = math.random() * sums[#sums], 1, #sums
  while low < high do
    local middle = math.floor((low + high) / 2)
    if sums[middle] > point then high = middle else low = middle + 1 end
  end
  return low
end

local threads = 0
function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

local function readCookies(name)
  local file = assert(io.open(name))
  for line in file:lines() do
    local owner, cookie = string.match(line, "^(%d+) (.+)$")
    latest = tonumber(owner)
    cookies[latest] = cookie
  end
  file:close()
end

function init()
  local connections, rate = tonumber(setting("CONNECTIONS")), tonumber(setting("RATE"))
  math.randomseed(tonumber(setting("SEED")) * 1000 + number)
  people = zipf(math.floor((tonumber(setting("VISITORS")) - 1 - number) / connections) + 1)
  pages = zipf(#paths)
  calls = setting("CALLS") == "1"
  readCookies(setting("FOLDER") .. "/cookies-" .. number)
  -- One file stays open, and is complete when wrk ends: wrk has room for three descriptors a connection.
  answers = assert(io.open(setting("FOLDER") .. "/answers-" .. number, "w"))
  lastMoment = now() + (tonumber(setting("SECONDS")) - 1) * 1e6
  if rate > 0 then
    interval = 1e6 * connections / rate
    -- wrk asks before each request how many milliseconds it waits. Who is late, after a slow login, does not wait until it has caught up.
    function delay()
      due = due and due + interval or now() + math.random() * interval
      return math.max(0, (due - now()) / 1000)
    end
  end
end

function request()
  visitor = draw(people)
  local share = math.random()
  began = now()
  -- wrk leaves before the last answers: a new visitor would lose the cookie, and could never come again.
  if began > lastMoment and not cookies[visitor] then visitor = latest or visitor end
  local headers = { ["User-Agent"] = agent, ["Cookie"] = cookies[visitor] }
  -- Nobody logs in who has not seen a page.
  if calls and cookies[visitor] and share < loginShare then
    kind = "login"
    headers["Content-Type"] = "application/x-www-form-urlencoded"
    return wrk.format("POST", "/login", headers, "customer=customer-" .. number .. "-" .. visitor)
  elseif calls and cookies[visitor] and share < loginShare + logoutShare then
    kind = "logout"
    return wrk.format("POST", "/logout", headers, "")
  end
  local page = draw(pages)
  kind = page == 1 and "list" or "product"
  return wrk.format("GET", paths[page], headers)
end

function response(status, headers)
  local took = now() - began
  for name, value in pairs(headers) do
    if string.lower(name) == "set-cookie" then
      local cookie = string.match(value, "^[^;]+")
      if cookies[visitor] ~= cookie then
        cookies[visitor] = cookie
        answers:write("cookie ", visitor, " ", cookie, "\n")
      end
    end
  end
  if cookies[visitor] then latest = visitor end
  -- The shop follows nobody who has no cookie, and logs nothing.
  local what = cookies[visitor] and kind or "stranger"
  answers:write(string.format("%s %d %d\n", what, status, took))
end

-- Seconds and errors. wrk's own latencies are left out: it adds those of requests that a slow one has kept from being sent.
function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format("figures %.6f %d\n", summary.duration / 1e6, errors.connect + errors.read + errors.write + errors.timeout))
end
