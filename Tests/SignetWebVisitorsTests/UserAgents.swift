// SPDX-License-Identifier: Apache-2.0

/// `User-Agent` fields as their programs send them.
enum UserAgents {
    /// Monitors, libraries, load generators and previews that passed for people before machines were told by their form.
    static let machinesOnceTakenForPeople = [
        // Monitors and load balancers.
        "Amazon-Route53-Health-Check-Service (ref 2a1b; report http://amzn.to/1vsZADi)",
        "Mozilla/5.0 (compatible;Cloudflare-Healthchecks/1.0;+https://www.cloudflare.com/; healthcheck-id: 1f)",
        "Mozilla/5.0 (compatible; Cloudflare-Traffic-Manager/1.0; +https://www.cloudflare.com/traffic-manager/; pool-id: 1f)",
        "GoogleStackdriverMonitoring-UptimeChecks(https://cloud.google.com/monitoring)",
        "Edge Health Probe", "Azure Traffic Manager Endpoint Monitor", "Consul Health Check",
        "Blackbox Exporter/0.27.0",
        "Uptime-Kuma/1.23.16", "updown.io daemon 2.11", "NodePing", "Zabbix", "Varnish/Probe",
        "Mozilla/5.0 (compatible; DigitalOcean Uptime Probe 0.22.0; https://digitalocean.com)",
        // Libraries.
        "okhttp/4.12.0", "Dart/3.9 (dart:io)", "Java-http-client/21.0.4", "Ruby", "PHP/8.3.11",
        "got (https://github.com/sindresorhus/got)", "node", "Bun/1.2.21", "Deno/2.4.5", "reqwest/0.12.9",
        "Faraday v2.12.0", "rest-client/2.1.0 (linux x86_64) ruby/3.3.5p100",
        // Load generators.
        "k6/1.2.3 (https://k6.io/)", "hey/0.0.1", "ApacheBench/2.3", "Go-vegeta/12.12.0",
        // Previews.
        "Iframely/1.3.1 (+https://iframely.com/docs/about)",
        "Mastodon/4.4.3 (http.rb/5.3.1; +https://mastodon.example/) Bot",
        "Pleroma 2.9.1; https://social.example <admin@social.example>",
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/49.0.2623.75 Safari/537.36 Google Favicon",
    ]

    /// One of each program whose name was in the list before.
    static let machinesByName = [
        // Crawlers.
        "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
        "Mozilla/5.0 (compatible; SeznamHomepageCrawler/1.0)", "CommonCrawl/1.0",
        "Mozilla/5.0 (compatible; Baiduspider/2.0; http://www.baidu.com/search/spider.html)", "Sogou web spider/4.0",
        "Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko; compatible; Bytespider)",
        "Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)",
        "Scrapy/2.12 (+https://scrapy.org)",
        "ia_archiver", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) (compatible; Mediapartners-Google/2.1)",
        "Mozilla/5.0 (compatible; Google-InspectionTool/1.0;)",
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GoogleOther) Chrome/139.0.0.0 Safari/537.36",
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (compatible; Google-Read-Aloud)", "APIs-Google",
        "FeedFetcher-Google",
        "meta-externalagent/1.1", "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0",
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-User/1.0; Claude-User@anthropic.com)",
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Perplexity-User/1.0)",
        "Mozilla/5.0 (compatible; cohere-ai)",
        // Previews of links.
        "Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/534+ (KHTML, like Gecko) BingPreview/1.0b",
        "Mozilla/5.0 (Macintosh) AppleWebKit/601.2.4 (KHTML, like Gecko) Safari/601.2.4 facebookexternalhit/1.1",
        "facebookexternalhit/1.1",
        "WhatsApp/2.23.20.0 A", "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5",
        "Mozilla/5.0 (compatible; Embedly/0.2; snap)", "Mozilla/5.0 (compatible; vkShare; http://vk.com/dev/Share)",
        "Mozilla/5.0 (compatible; FlipboardProxy/1.2; http://flipboard.com/browserproxy)",
        // Monitors and load balancers.
        "Pingdom.com_bot_version_1.4_(http://www.pingdom.com/)",
        "Mozilla/5.0 (X11) Chrome/61.0 Safari/537.36 PingdomPageSpeed/1.0",
        "PingdomTMS/0.8.5", "Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/537.36 StatusCake",
        "Mozilla/5.0 (X11) Site24x7",
        "Mozilla/5.0 (X11; Linux x86_64) Chrome/139.0 Safari/537.36 DatadogSynthetics", "Datadog/Synthetics",
        "Mozilla/5.0 (X11; Linux x86_64) NewRelicPinger/1.0 (1234)", "kube-probe/1.34", "ELB-HealthChecker/2.0",
        "GoogleHC/1.0",
        "Google-Cloud-Scheduler", "Envoy/HC", "HAProxy", "check_http/v2.4.0 (nagios-plugins 2.4.0)",
        "Mozilla/5.0 (X11; Linux x86_64) Chrome/139.0 Safari/537.36 Checkly",
        "Mozilla/5.0 (Macintosh) Chrome/139.0 Safari/537.36 Chrome-Lighthouse",
        "Mozilla/5.0 (X11) AppleWebKit/537.36 Google PageSpeed Insights",
        "Mozilla/5.0 (X11; Linux x86_64) Chrome/139.0 GTmetrix",
        // Browsers without a person.
        "Mozilla/5.0 (X11) AppleWebKit/537.36 HeadlessChrome/130.0",
        "Mozilla/5.0 (Unknown) AppleWebKit/538.1 PhantomJS/2.1.1",
        "Mozilla/5.0 (X11; Linux x86_64) Puppeteer", "Mozilla/5.0 (X11; Linux x86_64) Playwright/1.55",
        "Mozilla/5.0 (X11) Selenium",
        // Libraries and commands.
        "curl/8.5.0", "Wget/1.24.5", "HTTPie/3.2.4", "Python-urllib/3.12", "python-requests/2.32.3",
        "aiohttp/3.10 Python/3.12",
        "python-httpx/0.27", "Go-http-client/2.0", "Java/17.0.2", "Apache-HttpClient/5.3", "libwww-perl/6.77",
        "GuzzleHttp/7",
        "axios/1.7.9", "node-fetch/1.0", "undici", "PostmanRuntime/7.43", "insomnia/10.3", "masscan/1.3",
        "Mozilla/5.0 zgrab/0.x",
        "Mozilla/5.0 (compatible; Nmap Scripting Engine; https://nmap.org/book/nse.html)",
        "Mozilla/5.00 (Nikto/2.1.6) (Evasions:None) (Test:map_codes)", "sqlmap/1.8",
    ]

    /// Machines that no list names: the form or a word says what they are.
    static let machinesByForm = [
        "", " ", "-", "Grafana/12.0", "Acme-Synthetics 4", "grpc-swift-nio/2.0",
        "Shop/412 CFNetwork/3826.500.131 Darwin/24.5.0",
        "Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8)", "bingBOT", "My Mozilla/5.0",
        "Mozilla/5.0 (compatible; PRTG Network Monitor (www.paessler.com); Windows)",
        "Mozilla/5.0 (compatible; acme_uptime/2)",
        "Mozilla/5.0 (acme health-check)", "Mozilla/5.0 (compatible; ACME Monitoring)", "Mozilla/5.0 probe",
        "Mozilla/5.0 (compatible; Let's Encrypt validation server; +https://www.letsencrypt.org)",
        "Mozilla/5.0 (Windows NT 10.0; Microsoft Windows 10.0.26100; en-US) PowerShell/7.5.0",
        "Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.26100.1",
    ]
}
