// SPDX-License-Identifier: Apache-2.0

extension UserAgents {
    private static let iPhone =
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
    private static let pixel =
        "Mozilla/5.0 (Linux; Android 15; Pixel 9 Build/BP2A.250805; wv) AppleWebKit/537.36 (KHTML, like Gecko)"
    private static let chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0"

    /// Browsers of today, web views of apps, and the browsers inside of apps.
    static let people = [
        // Browsers.
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(chrome) Safari/537.36",
        "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) \(chrome) Safari/537.36",
        "Mozilla/5.0 (Linux; Android 10; K) \(chrome) Mobile Safari/537.36",
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15",
        "\(iPhone) Version/18.6 Mobile/15E148 Safari/604.1", "\(iPhone) CriOS/142.0.7444.77 Mobile/15E148 Safari/604.1",
        "\(iPhone) FxiOS/145.0 Mobile/15E148 Safari/605.1.15",
        "\(iPhone) EdgiOS/142.0.3595.66 Version/18.0 Mobile/15E148 Safari/604.1",
        "\(iPhone) Version/18.6 Mobile/15E148 DuckDuckGo/7 Safari/605.1.15",
        "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
        "Mozilla/5.0 (Android 15; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(chrome) Safari/537.36 Edg/142.0.0.0",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(chrome) Safari/537.36 OPR/124.0.0.0",
        "Opera/9.80 (J2ME/MIDP; Opera Mini/9.80 (S60; SymbOS; Opera Mobi/23.348; U; en) Presto/2.5.25 Version/10.54",
        "UCWEB/2.0 (Linux; U; Adr 9; en-US; RMX1941) U2/1.0.0 UCMini/12.12.9.1226 (SpeedMode; Proxy; Android 9; RMX1941) U2/1.0.0 Mobile",
        "Mozilla/5.0 (Linux; Android 15; SAMSUNG SM-S938B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0",
        "Mozilla/5.0 (Linux; U; Android 14; 23127PN0CC) \(chrome) MiuiBrowser/14.40 Mobile Safari/537.36",
        "Mozilla/5.0 (Mobile; Nokia 2780 Flip; rv:84.0) Gecko/84.0 Firefox/84.0 KAIOS/3.1",
        "Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko",
        "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1)",
        "Mozilla/5.0 (SMART-TV; LINUX; Tizen 8.0) AppleWebKit/537.36 (KHTML, like Gecko) 108.0.5359.1/8.0 TV Safari/537.36",
        "Mozilla/5.0 (PlayStation; PlayStation 5/9.00) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.4 Safari/605.1.15",
        "Mozilla/5.0 (X11; Linux x86_64) \(chrome) Safari/537.36 Electron/39.1.0 Shop/4.2.0",
        // Phones and apps whose names have a word of machines in them.
        "Mozilla/5.0 (Linux; Android 11; CUBOT X30) \(chrome) Mobile Safari/537.36",
        "\(iPhone) Mobile/15E148 CHECK24/2025.44",
        "\(pixel) Version/4.0 Chrome/142.0 Mobile Safari/537.36 Checkout/3.1 SelfCheckout/2",
        "\(iPhone) Mobile/15E148 SamsungHealth/6.30", "\(pixel) Version/4.0 Chrome/142.0 Healthline/2 Monitoreo/1",
        "Mozilla/5.0 (Windows NT 10.0) Botany/1.0",
        // Web views, and browsers inside of apps.
        "\(iPhone) Mobile/15E148", "\(pixel) Version/4.0 Chrome/142.0.7444.102 Mobile Safari/537.36",
        "\(iPhone) Mobile/22G86 [FBAN/FBIOS;FBAV/536.0.0.38.77;FBBV/793476521;FBDV/iPhone17,1;FBMD/iPhone;FBSN/iOS;FBSV/18.6;FBSS/3]",
        "\(pixel) Version/4.0 Chrome/142.0 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/536.0.0.46.77;IABMV/1;]",
        "\(iPhone) Mobile/22G86 Instagram 405.0.0.27.74 (iPhone17,1; iOS 18_6; en_US; en; scale=3.00; 1206x2622; IABMV/1; 793476521)",
        "\(iPhone) Mobile/15E148 musical_ly_2023 BytedanceWebview/d8a21c6 TikTok 40.1.0",
        "\(iPhone) Mobile/15E148 Snapchat/13.55.0.40",
        "\(iPhone) Mobile/15E148 [Pinterest/iOS]", "\(iPhone) Mobile/15E148 [LinkedInApp]/9.31.1234",
        "\(iPhone) Safari Line/15.15.0",
        "\(iPhone) Mobile/15E148 MicroMessenger/8.0.63(0x18003f2d) NetType/WIFI Language/en",
        "\(iPhone) GSA/396.0.8 Mobile/15E148 Safari/604.1",
        "\(pixel) Version/4.0 Chrome/142.0 Mobile Safari/537.36 GoogleApp/16.45.33",
        "\(iPhone) Mobile/15E148 Twitter for iPhone/11.30",
        "\(pixel) Version/4.0 Chrome/142.0 Mobile Safari/537.36 WhatsApp/2.25.30",
        "\(iPhone) Mobile/15E148 KAKAOTALK/25.9.0 (INAPP)",
        // What CloudFront says in place of the viewer's own, unless it is told to pass that on.
        "Amazon CloudFront",
    ]
}
