// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import SignetWire

import struct SignetModel.Secret

/// Builds requests for Infobip: URL, code or token, headers and body.
struct InfobipRequestBuilder: Sendable {
    private let application: InfobipApplication
    private let server: InfobipServer
    private let userAgent: String

    init(application: InfobipApplication, server: InfobipServer = .production, userAgent: String) {
        self.application = application
        self.server = server
        self.userAgent = userAgent
    }

    /// Builds a complete request.
    ///
    /// - Parameters:
    ///   - route: The route to call.
    ///   - body: The JSON text; empty for none.
    ///   - caller: The sender. Its own registration is sent, whatever the path says; registering sends none.
    ///   - token: A token instead of the application code; sent only on the three routes that accept one.
    ///   - timeout: The time limit of the exchange.
    ///   - responseLimit: The most bytes of an answer.
    /// - Returns: The request.
    /// - Throws: `invalidAPIKey` for an empty code, `invalidIdentifier` for an id that cannot stand in a path,
    ///   `invalidHeader`.
    func request(
        for route: InfobipRoute,
        body: [UInt8] = [],
        from caller: InfobipCaller,
        token: Secret? = nil,
        timeout: Duration,
        responseLimit: Int
    ) throws(WireError) -> TransportRequest {
        guard !self.application.code.isEmpty else { throw WireError(.invalidAPIKey, "The application code is empty.") }
        guard [route.registration, caller.pushRegistrationID].allSatisfy({ $0.map(InfobipRoute.isIdentifier) ?? true })
        else {
            throw WireError(.invalidIdentifier, "The registration id is empty or has a character that is not allowed.")
        }
        var headers = HTTPHeaders()
        if let token, route.takesToken {
            try headers.add("Authorization", token.withExposed { "Bearer " + $0 })
        } else {
            try headers.add("Authorization", self.application.code.withExposed { "App " + $0 })
        }
        try headers.add("applicationcode", self.application.hash)
        if let id = caller.pushRegistrationID, route != .createInstallation {
            try headers.add("pushregistrationid", id)
            if let start = caller.sessionStart {
                try headers.add("sessionId", "\(id)_\(start)")
            }
        }
        try headers.add("installationid", caller.installationID)
        try headers.add("foreground", caller.isForeground ? "true" : "false")
        try headers.add("User-Agent", self.userAgent)
        try headers.add("Accept", "application/json")
        try headers.add("Content-Type", "application/json")
        return TransportRequest(
            method: route.method,
            url: self.server.url(for: route),
            headers: headers,
            body: body,
            timeout: timeout,
            responseLimit: responseLimit,
            isRepeatable: route.isRepeatable
        )
    }
}

/// The application that a request is for, identified by its code.
struct InfobipApplication: Sendable, Hashable {
    /// The application code.
    let code: Secret

    /// The header `applicationcode`: the first ten hexadecimal digits of the code's SHA-256.
    var hash: String {
        let bytes = self.code.withExposed { SHA256.hash(Array($0.utf8)) }
        return Hexadecimal.encode(Array(bytes.prefix(5)))
    }
}

/// The installation that sends a request, as its headers name it.
struct InfobipCaller: Sendable, Hashable {
    /// The id that the service assigned; nil before the installation is registered.
    var pushRegistrationID: String?
    /// The UUID that the installation gave itself.
    var installationID: String
    /// The start of the session, in milliseconds since 1970; nil if there is no session.
    var sessionStart: Int64?
    /// True while the app is in the foreground.
    var isForeground = true
}

/// The header `User-Agent`, in the form that the service reads.
enum InfobipUserAgent {
    /// Writes the header: product and version, then eleven fields about the system that may be empty.
    ///
    /// - Parameters:
    ///   - system: The system of the installation.
    ///   - bundleID: The name of the app.
    ///   - isPrivate: Leaves all fields empty if true.
    /// - Returns: Printable ASCII; the product is this library, not the vendor's.
    static func text(_ system: InfobipInstallationSystem, bundleID: String?, isPrivate: Bool = false) -> String {
        var fields = Array(repeating: "", count: 11)
        if !isPrivate {
            // The third and fifth fields are unused. The last three (carrier, MNC and MCC) are unknown here.
            for (place, field) in [
                (0, system.os), (1, system.osVersion), (3, system.deviceModel), (5, bundleID), (6, system.appVersion),
                (7, system.deviceName),
            ] {
                fields[place] = (field ?? "").filter { !";()".contains($0) }
            }
        }
        let text = "Signet/\(ClientInfo.signet.version)(\(fields.joined(separator: ";")))"
        return String(decoding: text.utf8.filter { (0x20...0x7E).contains($0) }, as: UTF8.self)
    }
}
