// SPDX-License-Identifier: Apache-2.0

import SignetTransport

extension Emulator {
    /// The first project of Iterable's API.
    public var iterable: EmulatedIterable {
        EmulatedIterable(self.configuration.iterableProjects.first?.apiKey ?? "", of: self)
    }

    /// Returns a project of Iterable's API.
    ///
    /// - Parameter apiKey: The API key of the project.
    /// - Returns: The project; nil when the configuration has no such project.
    public func iterable(in apiKey: String) -> EmulatedIterable? {
        self.configuration.iterableProjects.contains { $0.apiKey == apiKey } ? EmulatedIterable(apiKey, of: self) : nil
    }

    /// Answers a request that carries the API key of a project.
    func answerIterable(
        _ request: TransportRequest,
        on route: EmulatorRoute,
        target: RequestTarget
    ) throws(Refusal) -> TransportResponse {
        let visitor = IterableRequest(request, route: route, target: target, limits: self.configuration.limits)
        guard let key = visitor.only("Api-Key"), self.iterable(in: key) != nil else { throw .badAPIKey }
        return self.withIterable(key) { (handler, now) in handler.answer(visitor, at: now) }
    }
}
