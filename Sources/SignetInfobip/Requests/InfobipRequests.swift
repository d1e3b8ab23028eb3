// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetWire

import struct FoundationEssentials.Date

/// Translates operations into requests.
struct InfobipRequests: Sendable {
    /// One request without its token.
    struct Request: Sendable {
        let route: InfobipRoute
        let body: [UInt8]
    }

    private let configuration: InfobipConfiguration

    init(_ configuration: InfobipConfiguration) {
        self.configuration = configuration
    }

    /// The hashes of the system data: the settled ones, and those of the first hour.
    func systemHash(_ service: String?) -> (settled: String, fresh: String) {
        (self.system(service, isFresh: false).hash, self.system(service, isFresh: true).hash)
    }

    /// The system data; in the first hour the user may not have been asked about notifications yet.
    private func system(_ service: String?, isFresh: Bool) -> InfobipSystemData {
        InfobipSystemData(
            self.configuration.effectiveSystem,
            pushServiceType: service,
            notificationsEnabled: self.configuration.notificationsEnabled.map { $0 || isFresh },
            isPrivate: self.configuration.omitsDeviceInformation
        )
    }

    /// The request of an operation; nil if the operation needs none.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - id: The registration; registering needs none.
    ///   - service: The push service.
    ///   - isFresh: True if the installation was registered within the hour.
    ///   - events: The events to send.
    /// - Returns: The route and the body.
    func request(
        for operation: InfobipStateMachine.Operation,
        of id: String,
        service: String?,
        isFresh: Bool,
        events: [[UInt8]]
    ) -> Request? {
        switch operation {
        case .register(let profile, let token):
            let body = InstallationBody(profile, system: self.system(token.service, isFresh: true))
            return Request(route: .createInstallation, body: body.encoded())
        case .expire(let former):
            return Request(route: .expireInstallation(former), body: [])
        case .saveInstallation(let edits, let token, let system, _):
            let body = InstallationPatchBody(
                edits.changes,
                pushServiceToken: token.map { Secret($0.token) },
                system: system.map { _ in self.system(service, isFresh: isFresh) }
            )
            return body.isEmpty ? nil : Request(route: .updateInstallation(id), body: body.encoded())
        case .saveUser(let edits, _, _):
            let body = UserPatchBody(edits.changes)
            return body.isEmpty ? nil : Request(route: .updateUser(id), body: body.encoded())
        case .attach(let attach, _):
            let personalization = attach.personalization
            let body = PersonalizeBody(identity: personalization.identity, attributes: personalization.attributes)
            return Request(route: .personalize(id, personalization.options), body: body.encoded())
        case .detach:
            return Request(route: .depersonalize(id), body: [])
        case .fetchUser, .look:
            return Request(route: .fetchUser(id), body: [])
        case .fetchInstallation:
            return Request(route: .fetchInstallation(id), body: [])
        case .depersonalizeOther(let other, _):
            return Request(route: .depersonalize(other), body: [])
        case .setPrimary(let other, let isPrimary, _):
            let body = InstallationPatchBody(otherIsPrimary: isPrimary)
            return Request(route: .updateInstallation(other), body: body.encoded())
        case .sendEvent(let event):
            let body = InfobipEventBody.encoded([event.element])
            return Request(route: .customEvents(id, isValidated: true), body: body)
        case .sendEvents:
            guard !events.isEmpty else { return nil }
            return Request(route: .customEvents(id, isValidated: false), body: InfobipEventBody.encoded(events))
        case .reportSessions(let report, _):
            return Request(route: .sessionReports(id), body: self.body(report, service, isFresh).encoded())
        }
    }

    private func body(_ report: InfobipSessions.Report, _ service: String?, _ isFresh: Bool) -> UserSessionsBody {
        UserSessionsBody(
            starts: report.starts.map { Date(milliseconds: $0) },
            bounds: report.finished.map { .init(start: Date(milliseconds: $0.start), end: Date(milliseconds: $0.end)) },
            system: self.system(service, isFresh: isFresh)
        )
    }
}
