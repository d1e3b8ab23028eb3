// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel
import SignetTestSupport
import Testing

@testable import Signet

@Suite struct BatchContextsTests {
    private let folder: TemporaryFolder
    private let store: StateStore

    init() throws {
        self.folder = try TemporaryFolder()
        self.store = StateStore(try StateLog(directory: self.folder.path))
    }

    private var full: BatchContext {
        var device = DeviceInformation()
        (device.manufacturer, device.model, device.systemVersion) = ("M", "m", "1")
        (device.processorArchitecture, device.localeLanguage, device.localeCountry) = ("x86_64", "de", "DE")
        (device.timeZoneOffset, device.userAgent) = (-2, "UA \u{1F600}")
        (device.screenWidth, device.screenHeight) = (800, 600)
        return BatchContext(
            plan: DataPlan(id: "p", version: 3),
            environment: .development,
            application: ApplicationInformation(name: "n", version: "1", build: "2", package: "c.e", system: .desktop),
            device: device
        )
    }

    @Test func whatIsWrittenIsRead() {
        #expect(BatchContext(self.full.encoded()) == self.full)
        #expect(BatchContext(BatchContext().encoded()) == BatchContext())
        #expect(BatchContext([0]) == BatchContext())
    }

    @Test func theSameContextHasTheSameNumberInEachProcess() throws {
        let first = try BatchContexts(store: self.store, current: self.full)
        let second = try BatchContexts(store: self.store, current: BatchContext())
        #expect(second.current != first.current)
        #expect(second.context(first.current) == self.full)
        let third = try BatchContexts(store: self.store, current: self.full)
        #expect(third.current == first.current)
        #expect(third.context(second.current) == BatchContext())
        #expect(third.context(40_000) == BatchContext())
    }
}
