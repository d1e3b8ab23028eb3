// SPDX-License-Identifier: Apache-2.0

#if SIGNET_HUMMINGBIRD
public import Hummingbird
public import SignetModel

/// The choice of answers that are screen views, and their events.
///
/// An answer is a screen if a person sees it: a `GET` that was no prefetch, with a status of 200 to 299 and HTML
/// (`text/html` or `application/xhtml+xml`). A redirect shows nothing, an error is none of your screens, and a 304 has no
/// content type to tell.
public struct SignetScreens: Sendable {
    private let event: (@Sendable (_ request: Request, _ template: String) -> Event?)?

    /// A screen view with the template of the route as its name, such as `/products/{id}`.
    ///
    /// Not the path: it may name people, and each product would be a screen of its own.
    public static let routeTemplates = SignetScreens { _, template in .screen(template) }

    /// No screen views.
    public static let none = SignetScreens(nil)

    /// Makes the events of screens.
    ///
    /// - Parameter event: Makes the event of a request and the template of its route; nil for none.
    public init(_ event: @escaping @Sendable (_ request: Request, _ template: String) -> Event?) {
        self.event = event
    }

    private init(_ event: (@Sendable (Request, String) -> Event?)?) {
        self.event = event
    }

    /// The event of an answer.
    func event(of request: Request, _ response: Response, template: String?) -> Event? {
        guard let event = self.event, let template, template != "NotFound", request.method == .get,
            (200...299).contains(response.status.code), Self.isHTML(response.headers[.contentType])
        else { return nil }
        return event(request, template)
    }

    private static func isHTML(_ type: String?) -> Bool {
        guard let media = type?.prefix(while: { $0 != ";" && $0 != " " }).lowercased() else { return false }
        return media == "text/html" || media == "application/xhtml+xml"
    }
}
#endif
