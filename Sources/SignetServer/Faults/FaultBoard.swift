// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetTransport

/// Sets faults from entries and lists all active faults, including those set elsewhere.
struct FaultBoard: Sendable {
    private let faults: FaultInjector

    init(_ faults: FaultInjector) {
        self.faults = faults
    }

    /// Sets the faults of a document: an array of entries, or one entry.
    func add(_ json: [UInt8]) throws(PageRefusal) {
        let isList = json.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 } == UInt8(ascii: "[")
        for entry in try FaultEntry.list(isList ? json : Array("[".utf8) + json + Array("]".utf8)) {
            entry.apply(to: self.faults)
        }
    }

    func clear() {
        self.faults.clear()
    }

    /// Removes one fault; returns false if there is none with this number.
    func remove(_ number: Int) -> Bool {
        self.faults.remove(number)
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("standing")
        writer.beginArray()
        for entry in self.faults.entries { writer.value(FaultEntry.json(entry)) }
        writer.endArray()
        writer.member("remaining", self.faults.remaining)
        writer.member("faults", .array(FaultEntry.faults.map(JSONValue.string)))
        writer.member("routes", .array(EmulatorRoute.allCases.map { .string($0.rawValue) }))
        writer.endObject()
    }
}

extension FaultEntry {
    func apply(to faults: FaultInjector) {
        if let times = self.times {
            faults.inject(self.fault, on: self.route, times: times)
        } else if let share = self.share {
            faults.injectAlways(self.fault, on: self.route, share: share)
        } else {
            faults.injectAlways(self.fault, on: self.route)
        }
    }
}

extension FaultInjector {
    /// Sets the faults of a faults file.
    ///
    /// - Parameter json: An array of entries.
    /// - Throws: ``EmulatorServerError`` with the reason if the file is invalid; then none of its faults is set.
    package func add(file json: [UInt8]) throws(EmulatorServerError) {
        do throws(PageRefusal) {
            for entry in try FaultEntry.list(json) { entry.apply(to: self) }
        } catch {
            throw EmulatorServerError(.invalidHistory, error.message)
        }
    }
}
#endif
