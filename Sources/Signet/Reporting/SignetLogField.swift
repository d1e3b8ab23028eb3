// SPDX-License-Identifier: Apache-2.0

/// A field of the lines of `LoggingObserver`: its name is stable, and is the same in each line that has it.
public struct SignetLogField: Sendable, Hashable {
    /// The name, which is the key of the metadata.
    public let name: String
    /// The meaning.
    public let meaning: String

    init(_ name: String, _ meaning: String) {
        (self.name, self.meaning) = (name, meaning)
    }
}

extension SignetLogField {
    static let endpoint = Self("signet.endpoint", "The endpoint of a request, such as `login`")
    static let method = Self("http.request.method", "The method of a request")
    static let address = Self("server.address", "The host that was asked")
    static let template = Self("url.template", "The path, with names in place of ids")
    static let status = Self("http.response.status_code", "The status of the answer, if there was one")
    static let errorType = Self("error.type", "The status from 400 on, or the code of the failure")
    static let duration = Self("signet.duration_ms", "The time of a request, in milliseconds")
    static let error = Self("signet.error", "The code, status and message of an error; of a request the code")
    static let events = Self("signet.events", "The number of events")
    static let bytes = Self("signet.bytes", "The number of bytes")
    static let count = Self("signet.count", "The number of other things: users, records")
    static let cause = Self("signet.cause", "Why something was dropped")
    static let delay = Self("signet.delay_ms", "The time until the next try, in milliseconds")
    static let damage = Self("signet.damage", "What cannot be read, or cleaned up")
    static let offset = Self("signet.clock_offset_ms", "This clock minus that of the shared store, in milliseconds")
    static let service = Self("signet.service", "The service that follows the users")
    static let kind = Self("signet.kind", "The kind of a service's data")
    static let eventsDelivered = Self(
        "signet.events_delivered",
        "Events that the platform has accepted since the start"
    )
    static let eventsLeft = Self("signet.events_left", "Events that stay on disk for the next start")
    static let complete = Self("signet.complete", "`true` if all that could be sent was sent in time")
    static let installation = Self(
        "signet.installation",
        "The id of an installation, only with `logsInstallations: true`"
    )

    /// The whole table.
    public static let all: [SignetLogField] = [
        .endpoint, .method, .address, .template, .status, .errorType, .duration, .error, .events, .bytes, .count,
        .cause, .delay, .damage, .offset, .service, .kind, .eventsDelivered, .eventsLeft, .complete, .installation,
    ]
}
