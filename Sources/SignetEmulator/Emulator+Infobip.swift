// SPDX-License-Identifier: Apache-2.0

import SignetTransport

extension Emulator {
    /// The first application of Infobip's API.
    public var infobip: EmulatedInfobip {
        EmulatedInfobip(self.configuration.applications.first?.code ?? "", of: self)
    }

    /// Returns an application of Infobip's API.
    ///
    /// - Parameter code: The application code.
    /// - Returns: The application; nil when the configuration has no such application.
    public func infobip(in code: String) -> EmulatedInfobip? {
        self.configuration.applications.contains { $0.code == code } ? EmulatedInfobip(code, of: self) : nil
    }

    /// Answers a request that names an application by the hash of its code.
    func answerInfobip(
        _ request: TransportRequest,
        on route: EmulatorRoute,
        target: RequestTarget
    ) throws(Refusal) -> TransportResponse {
        let hashes = request.headers.values(of: "applicationcode")
        guard !hashes.isEmpty else { throw .applicationCodeMissing }
        let application = self.configuration.applications.first { hashes == [Self.hash(of: $0.code)] }
        guard let code = application?.code else { throw .invalidApplicationCode }
        return self.withInfobip(code) { (handler, now) in
            let limits = self.configuration.limits
            let lists = handler.application.listAttributes
            let infobip = InfobipRequest(request, route: route, target: target, limits: limits, lists: lists)
            return handler.answer(infobip, at: now)
        }
    }

    /// The first ten hexadecimal digits of the code's SHA-256.
    private static func hash(of code: String) -> String {
        Hexadecimal.encode(Array(SHA256.hash(Array(code.utf8)).prefix(5)))
    }
}
