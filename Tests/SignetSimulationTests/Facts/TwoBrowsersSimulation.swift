// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting

import struct FoundationEssentials.UUID

@testable import Signet

/// Browsers of one customer on a server, in a world where a seed decides what the customer says, where, and what
/// becomes of the batches.
///
/// The book is what the customer has said; the platform must have that in the end, and after each upload that met no
/// trouble.
final class TwoBrowsersSimulation {
    private enum Step: CaseIterable {
        case answer, withdraw, change, set, remove, view, upload, trouble, time, resend, restart, kill
    }

    private static let browsers = 2
    private static let keys = 3

    private let clock = ManualClock()
    private let platform: Emulator
    private var generator: SeededGenerator
    private var folder: TemporaryFolder
    private var signet: EmulatedSignet?
    private var installations: [Installation] = []
    private var mpid: MPID?
    // MARK: The book
    private var consent: [String: Bool]?
    private var attributes: [Int: [String: AttributeValue]] = [:]
    private(set) var violations: [String] = []
    private(set) var reached: [String: Int] = [:]
    private(set) var story: [String] = []

    init(seed: UInt64) throws {
        self.generator = SeededGenerator(seed: seed)
        let clock = self.clock
        self.platform = Emulator(EmulatorConfiguration(), clock: clock, wallClock: { clock.date })
        self.folder = try TemporaryFolder()
    }

    /// Lets the steps happen, in several lives, and looks at what the platform has.
    func play() async throws {
        var left = 60
        while left > 0, self.violations.isEmpty { left = try await self.live(left) }
        try await self.liveAlone()
        _ = try await self.live(0)
    }

    // MARK: - Lives

    /// One process.
    ///
    /// - Parameter steps: The number of steps left; zero to come to rest.
    /// - Returns: The number of steps left after it.
    /// - Throws: The error of a call that must not fail.
    private func live(_ steps: Int) async throws -> Int {
        var left = steps
        var image: TemporaryFolder?
        let signet = try EmulatedSignet(in: self.folder.path, platform: self.platform, clock: self.clock)
        self.signet = signet
        try await signet.run { signet in
            try await self.open(signet)
            while left > 0, self.violations.isEmpty {
                left -= 1
                guard let step = Step.allCases.randomElement(using: &self.generator) else { break }
                self.story.append("\(step)")
                if step == .restart { break }
                if step == .kill {
                    // What this process still does at its end reaches nobody.
                    self.platform.faults.clear()
                    self.platform.faults.injectAlways(.connectionRefused, on: .events)
                    image = try TemporaryFolder(copying: self.folder)
                    self.reach("kill")
                    break
                }
                try await self.perform(step)
            }
            if steps == 0 { try await self.settle() }
        }
        self.signet = nil
        guard let image else { return left }
        self.platform.faults.clear()
        self.folder = image
        return left
    }

    /// One process that nobody calls, and to which no browser returns: time alone brings what the customer has said.
    private func liveAlone() async throws {
        self.platform.faults.clear()
        let signet = try EmulatedSignet(in: self.folder.path, platform: self.platform, clock: self.clock)
        try await signet.run { signet in
            try await self.resendTaken(signet.runtime)
            // Many rounds: on a busy machine the disk takes some of them.
            for _ in 0..<5_000 where !self.hasPlatformTheConsent {
                self.clock.advance(by: .seconds(5))
                for _ in 0..<50 { await Task.yield() }
                // The clock moves between requests only: none times out.
                await signet.transport.idle()
                for _ in 0..<50 { await Task.yield() }
            }
            // One that the platform has refused without events waits for events, on whichever browser.
            try await self.open(signet)
            let waits = self.installations.contains { browser in
                let entries = browser.core.identityState.directory.entries.values
                return entries.contains { $0.consentForEvents != nil }
            }
            guard !waits else { return self.reach("a consent waits for events") }
            self.lookAtConsent("without a call")
        }
    }

    private func open(_ signet: EmulatedSignet) async throws {
        self.installations = []
        for number in 0..<Self.browsers {
            let installation = try await signet.runtime.open(InstallationID("browser-\(number)"), identify: .none)
            if installation.currentUser == nil {
                self.mpid = try await installation.login([.customerID: "c"]).user.mpid
            }
            self.installations.append(installation)
        }
    }

    // MARK: - Steps

    private func perform(_ step: Step) async throws {
        let number = Int.random(in: 0..<Self.browsers, using: &self.generator)
        let browser = self.installations[number]
        switch step {
        case .answer:
            self.clock.advance(by: .milliseconds(self.generator.pick(0, 1, 1000)))
            let isGiven = self.generator.chance(0.5)
            try await browser.setConsent(ConsentState(gdpr: ["ads": Consent(isGiven)]))
            self.consent = ["ads": isGiven]
        case .withdraw:
            try await browser.setConsent(nil)
            self.consent = self.consent == nil ? nil : [:]
        case .change:
            let isGiven = self.generator.chance(0.5)
            try await browser.withUser { $0.consent.gdpr["news"] = Consent(isGiven) }
            self.consent = (self.consent ?? [:]).merging(["news": isGiven]) { $1 }
        case .set:
            let key = "key-\(number)-\(Int.random(in: 0..<Self.keys, using: &self.generator))"
            let value = AttributeValue.integer(Int64.random(in: 0..<1000, using: &self.generator))
            try await browser.setAttribute(value, for: key)
            self.attributes[number, default: [:]][key] = value
        case .remove:
            let key = "key-\(number)-\(Int.random(in: 0..<Self.keys, using: &self.generator))"
            try await browser.removeAttribute(key)
            self.attributes[number]?[key] = nil
        case .view:
            try browser.log(.screen("page"))
        case .upload:
            await self.upload()
        case .trouble:
            let fault: FaultInjector.Fault = self.generator.pick(
                .status(400),
                .status(400),
                .status(413),
                .status(503),
                .connectionRefused,
                .replyLost
            )
            self.platform.faults.inject(fault, on: .events)
        case .time:
            self.clock.advance(by: .seconds(self.generator.pick(1, 11, 400)))
            for _ in 0..<20 { await Task.yield() }
        case .resend:
            guard let letters = self.signet?.runtime.deadLetters else { return }
            for letter in try await letters.list() {
                self.reach("resent")
                try await letters.resend(letter.id)
            }
        case .restart, .kill:
            break
        }
        self.lookAtBrowsers()
    }

    /// Delivers what waits.
    ///
    /// If all was accepted, the platform has what the customer has said.
    private func upload() async {
        guard let runtime = self.signet?.runtime else { return }
        do throws(SignetError) {
            _ = try await runtime.upload(within: .seconds(60))
            // What a dead letter has carried goes with the next batch only.
            guard self.platform.faults.remaining == 0, try await runtime.deadLetters.list().isEmpty else { return }
            // A late answer is followed by a correction.
            _ = try await runtime.upload(within: .seconds(60))
            self.lookAtPlatform("after an upload")
        } catch {
            self.reach("upload: \(error.code)")
        }
    }

    /// Sends the batches again that a fault has refused after the platform had taken them, and the answer was lost.
    ///
    /// A platform answers a batch that it has with a yes. So nobody finds out that such a dead letter was taken.
    private func resendTaken(_ runtime: SignetRuntime) async throws {
        let taken = Set(self.platform.batches().compactMap(\.requestID).compactMap(UUID.init(uuidString:)))
        for letter in try await runtime.deadLetters.list() where taken.contains(letter.id) {
            self.reach("taken and refused")
            try await runtime.deadLetters.resend(letter.id)
        }
    }

    /// Mends the world, and lets everything come to rest.
    private func settle() async throws {
        self.platform.faults.clear()
        if let runtime = self.signet?.runtime { try await self.resendTaken(runtime) }
        await self.signet?.runtime.resumeUploads()
        for _ in 0..<10 {
            await self.upload()
            self.clock.advance(by: .seconds(400))
            for _ in 0..<50 { await Task.yield() }
        }
        // What a dead letter has carried goes with the next batch.
        for browser in self.installations { try browser.log(.screen("last page")) }
        for _ in 0..<5 {
            await self.upload()
            self.clock.advance(by: .seconds(400))
        }
        self.lookAtPlatform("at last")
    }

    // MARK: - Looks

    /// Each browser reads what the customer has said last on any of them.
    private func lookAtBrowsers() {
        for browser in self.installations {
            let read = browser.currentUser?.consent?.gdpr.mapValues(\.isGiven) ?? [:]
            if read != self.consent ?? [:] {
                self.fail("\(browser.id) reads \(read) instead of \(self.consent ?? [:])")
            }
        }
    }

    private func lookAtPlatform(_ when: String) {
        guard let mpid = self.mpid, let user = self.platform.user(mpid) else { return }
        self.lookAtConsent(when)
        let attributes = self.attributes.values.reduce(into: [:]) { $0.merge($1) { $1 } }
        if user.attributes != attributes {
            self.fail("the platform has \(user.attributes) instead of \(attributes) \(when)")
        }
        for batch in self.platform.refusedBatches() { self.fail("a batch breaks a rule: \(batch.reason)") }
    }

    private func lookAtConsent(_ when: String) {
        guard let mpid = self.mpid, let user = self.platform.user(mpid) else { return }
        self.reach("looked at the platform \(when)")
        let consent = user.consent?.gdpr.mapValues(\.isGiven) ?? [:]
        guard !self.hasPlatformTheConsent else { return }
        self.fail("the platform has \(consent) instead of \(self.consent ?? [:]) \(when)")
    }

    private var hasPlatformTheConsent: Bool {
        guard let mpid = self.mpid, let user = self.platform.user(mpid) else { return true }
        return user.consent?.gdpr.mapValues(\.isGiven) ?? [:] == self.consent ?? [:]
    }

    private func reach(_ what: String) {
        self.reached[what, default: 0] += 1
    }

    private func fail(_ text: String) {
        self.violations.append(text)
    }
}
