// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import Signet
import SignetHummingbird
import SignetWebVisitors

struct ShopContext: SignetRequestContext {
    var coreContext: CoreRequestContextStorage
    var signet = SignetVisitor()
    init(source: ApplicationRequestContextSource) { self.coreContext = CoreRequestContextStorage(source: source) }
}

var configuration = SignetConfiguration(apiKey: "us1-emulated", secret: "emulated-secret", directory: "signet-state")
configuration.baseURL = try ServerURL("http://127.0.0.1:8765")  // the emulator; without this line, mParticle
var cookies = WebVisitorsConfiguration(keys: .ofThisProcess())  // a restart forgets all: fixed in production
cookies.cookie = .development  // in production: .standard, for https
try await withSignet(configuration, transport: AsyncHTTPClientTransport()) { signet in
    let router = Router(context: ShopContext.self)
    // Opens the visitor of the cookie, and logs a screen view.
    let pages = router.group().add(middleware: SignetMiddleware(WebVisitors(signet, cookies)))
    pages.get("/") { _, _ in
        let page = """
            <p>Log in, then buy: the live page shows whose purchase it is.</p>
            <form method=post><button formaction=/login/ann>Log in</button> <button formaction=/buy>Buy</button></form>
            """
        return Response(status: .ok, headers: [.contentType: "text/html"], body: .init(byteBuffer: .init(string: page)))
    }
    pages.post("/login/{customer}") { _, context in
        let visitor = try context.signet.requireInstallation()
        let result = try await visitor.login([.customerID: context.parameters.require("customer")])
        return "Hello. Your MPID, mParticle's number for a user, is \(result.user.mpid)."
    }
    pages.post("/buy") { _, context in
        let order = Event.purchase("o-1", total: 9, currency: "EUR", products: [Product(id: "t-1", name: "Assam")])
        try context.signet.requireInstallation().logIfPossible(order)
        return "Thank you."
    }
    try await Application(router: router).runService()  // at 127.0.0.1:8080, until Ctrl-C
}
