-- For wrk, by Benchmarks/storefront-load: with as many threads as connections, so that each connection has a visitor of its own.
-- Two pages in three are of a product, which logs a view beside the page.
local paths = { "/", "/products/b-1", "/products/t-1" }
local threads = {}

function setup(thread)
  thread:set("number", #threads)
  table.insert(threads, thread)
end

function init(args)
  turn, lists, products, others = number, 0, 0, 0
  -- Without the name of a browser it would be a bot.
  wrk.headers["User-Agent"] = "Mozilla/5.0 (storefront-load)"
end

function request()
  turn = turn + 1
  asked = paths[turn % #paths + 1]
  return wrk.format("GET", asked)
end

function response(status, headers, body)
  if status ~= 200 then
    others = others + 1
  elseif asked == "/" then
    lists = lists + 1
  else
    products = products + 1
  end
  for name, value in pairs(headers) do
    if string.lower(name) == "set-cookie" then
      cookie = string.match(value, "^[^;]+")
      wrk.headers["Cookie"] = cookie
    end
  end
end

function done(summary, latency, requests)
  local lists, products, others, cookies = 0, 0, 0, 0
  for _, thread in ipairs(threads) do
    lists = lists + thread:get("lists")
    products = products + thread:get("products")
    others = others + thread:get("others")
    if thread:get("cookie") then cookies = cookies + 1 end
  end
  local errors = summary.errors
  io.write(string.format(
    'figures {"requests": %d, "seconds": %.6f, "lists": %d, "products": %d, "others": %d, "cookies": %d, '
      .. '"errors": %d, "p50": %.1f, "p99": %.1f, "p999": %.1f, "max": %.1f}\n',
    summary.requests, summary.duration / 1e6, lists, products, others, cookies,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50), latency:percentile(99), latency:percentile(99.9), latency.max))
end
