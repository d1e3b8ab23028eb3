//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

extension Emulator {
    /// The first project of the visitors' interface.
    public var visitors: EmulatedVisitors {
        EmulatedVisitors(self.configuration.visitorProjects.first?.apiKey ?? "", of: self)
    }

    /// A project of the visitors' interface.
    ///
    /// - Parameter apiKey: Its key.
    /// - Returns: Nil when the configuration has no such project.
    public func visitors(in apiKey: String) -> EmulatedVisitors? {
        self.configuration.visitorProjects.contains { $0.apiKey == apiKey } ? EmulatedVisitors(apiKey, of: self) : nil
    }

    /// Answers whoever names a key that a project has.
    func answerVisitors(
        _ request: TransportRequest,
        on route: EmulatorRoute,
        target: RequestTarget
    ) throws(Refusal) -> TransportResponse {
        let visitor = VisitorRequest(request, route: route, target: target, limits: self.configuration.limits)
        guard let key = visitor.only("Api-Key"), self.visitors(in: key) != nil else { throw .badAPIKey }
        return self.withVisitorDesk(key) { (desk, now) in desk.answer(visitor, at: now) }
    }
}
