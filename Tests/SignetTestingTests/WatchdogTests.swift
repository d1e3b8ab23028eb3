// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SignetTestSupport

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// A process of its own comes to rest: nothing else computes in it.
struct WatchdogTests {
    @Test func aHungTaskEndsTheProcessAndIsNamed() async throws {
        let ended = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) {
            let watchdog = Watchdog(millisecondsBetweenLooks: 20, calmLooksOfRest: 5)
            _ = watchdog.beginWait(for: "a train", at: #_sourceLocation)
            await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        }
        let said = String(decoding: try #require(ended).standardErrorContent, as: UTF8.self)
        #expect(said.contains("HUNG: "))
        #expect(said.contains("waits for a train (WatchdogTests.swift:"))
    }

    @Test func aHungTestIsToldAndMayEnd() async throws {
        let ended = await #expect(processExitsWith: .exitCode(3), observing: [\.standardErrorContent]) {
            let watchdog = Watchdog(millisecondsBetweenLooks: 20, calmLooksOfRest: 5)
            do {
                try await watchdog.watch("the last test")
            } catch {
                exit("\(error)" == "the last test waits for something that it does not name" ? 3 : 4)
            }
        }
        let said = String(decoding: try #require(ended).standardErrorContent, as: UTF8.self)
        #expect(said.contains("HUNG: the last test waits for something"))
    }

    @Test func whatGoesOnIsNotEnded() async throws {
        await #expect(processExitsWith: .exitCode(3)) {
            let watchdog = Watchdog(millisecondsBetweenLooks: 20, calmLooksOfRest: 20)
            let hung = watchdog.beginWait(for: "the end", at: #_sourceLocation)
            // Each is progress; together they take many times what a process at rest is given.
            let clock = ContinuousClock()
            let end = clock.now + .milliseconds(1600)
            while clock.now < end {
                watchdog.endWait(watchdog.beginWait(for: "a step", at: #_sourceLocation), isMet: true)
            }
            watchdog.endWait(hung, isMet: true)
            exit(3)
        }
    }
}
