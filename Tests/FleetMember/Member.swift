// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES && SIGNET_URL_SESSION
import FoundationEssentials
import Signet
import SignetLock
import SignetModel
import SignetPostgres
import SignetTransport
import Synchronization

/// A runtime, and the handles that commands have opened.
final class Member: Sendable {
    private struct NotOpen: Error {}
    private struct NoUser: Error {}

    /// A wall clock that somebody sets.
    private final class WallClock: Sendable {
        private let system = TimeSource.system()
        private let ahead = Atomic<Int64>(0)

        func set(ahead seconds: Int64) {
            self.ahead.store(seconds * 1000, ordering: .relaxed)
        }

        var milliseconds: Int64 {
            self.system.milliseconds + self.ahead.load(ordering: .relaxed)
        }
    }

    let runtime: SignetRuntime
    private let clock = WallClock()
    private let transport: StoppingTransport
    private let handles = Locked<[String: Installation]>([:])

    init(_ member: MemberConfiguration) throws {
        var configuration = SignetConfiguration(
            apiKey: "us1-emulated",
            secret: "emulated-secret",
            directory: member.directory
        )
        configuration.baseURL = try ServerURL(member.platform)
        configuration.events.uploadInterval = .seconds(member.uploadInterval)
        configuration.sessions.timeout = .seconds(member.sessionTimeout)
        configuration.sessions.beginsAtOpen = true
        configuration.identity.requestTimeout = .seconds(member.requestTimeout)
        let clock = self.clock
        configuration.time = TimeSource(clock: ContinuousClock(), milliseconds: { clock.milliseconds })
        if let url = member.store {
            let store = try PostgresStore(Secret(url))
            let policy: FleetConfiguration.Unreachable = member.whenUnreachable == .fail ? .fail : .logOnly
            configuration.fleet = FleetConfiguration(store: store, whenUnreachable: policy)
        }
        self.transport = StoppingTransport(URLSessionTransport())
        self.runtime = try SignetRuntime(configuration, transport: self.transport)
    }

    /// Carries out a command.
    func answer(_ request: MemberRequest) async -> MemberAnswer {
        var answer = MemberAnswer(request.number)
        do {
            try await self.carryOut(request.command, &answer)
        } catch let error as SignetError {
            answer.error = "\(error.code)"
            answer.message = error.message
        } catch {
            answer.error = "\(error)"
        }
        answer.health = self.runtime.health.reasons.map(\.description)
        if let id = request.command.installation, let handle = self.handles.withLock({ $0[id] }) {
            answer.state = Self.state(of: handle)
        }
        return answer
    }

    private func carryOut(_ command: MemberCommand, _ answer: inout MemberAnswer) async throws {
        switch command {
        case .open(let id, let identifies):
            let handle = try await self.runtime.open(InstallationID(id), identify: identifies ? .ifUnknown : .none)
            self.handles.withLock { $0[id] = handle }
        case .log(let id, let count, let name):
            answer.logged = 0
            for number in 0..<count {
                try self.handle(id).log(.custom("\(name)-\(number)"))
                answer.logged = number + 1
            }
        case .identify(let id): try await self.handle(id).identify()
        case .login(let id, let customer): try await self.handle(id).login([.customerID: customer])
        case .logout(let id): try await self.handle(id).logout()
        case .setAttribute(let id, let name, let value):
            try await self.handle(id).setAttribute(.string(value), for: name)
        case .setConsent(let id, let isGiven):
            try await self.handle(id).setConsent(ConsentState(gdpr: ["Ads": Consent(isGiven)]))
        case .setOptedOut(let id, let isOptedOut): try await self.handle(id).setOptedOut(isOptedOut)
        case .erase(let number):
            guard let mpid = MPID(rawValue: number) else { throw NoUser() }
            // Those who are cut off do not acknowledge it; none is waited for.
            try await self.runtime.eraseUser(mpid, within: .milliseconds(100))
        case .endSession(let id): try await self.handle(id).endSession()
        case .remove(let id): try await self.handle(id).remove()
        case .refresh(let id): try await self.handle(id).refresh()
        case .state(let id): _ = try self.handle(id)
        case .upload: try await self.runtime.upload()
        case .setClock(let seconds): self.clock.set(ahead: seconds)
        case .stop(let stop, let path): self.transport.stop(at: stop, path: path)
        case .shutdown: await self.runtime.shutdown()
        }
    }

    private func handle(_ id: String) throws -> Installation {
        guard let handle = self.handles.withLock({ $0[id] }) else { throw NotOpen() }
        return handle
    }

    private static func state(of handle: Installation) -> MemberAnswer.State {
        let user = handle.currentUser
        var state = MemberAnswer.State(
            mpid: user?.mpid.rawValue,
            isLoggedIn: user?.isLoggedIn ?? false,
            session: handle.currentSession?.uuid.uuidString.lowercased(),
            stamp: handle.deviceApplicationStamp.uuidString.lowercased(),
            isOptedOut: handle.isOptedOut
        )
        state.consent = (user?.consent?.gdpr.values.first?.isGiven)
        for (name, value) in user?.attributes ?? [:] {
            if case .string(let text) = value { state.attributes[name] = text }
        }
        return state
    }
}

extension MemberCommand {
    /// The installation that it is about.
    fileprivate var installation: String? {
        switch self {
        case .open(let id, _), .log(let id, _, _), .identify(let id), .login(let id, _), .logout(let id),
            .setAttribute(let id, _, _), .setConsent(let id, _), .setOptedOut(let id, _), .endSession(let id),
            .remove(let id), .refresh(let id), .state(let id):
            id
        case .upload, .erase, .setClock, .stop, .shutdown: nil
        }
    }
}
#endif
