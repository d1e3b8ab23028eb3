//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
import SignetEmulator
import SignetTransport

/// The switches for the weather: puts entries up and says which are up, whoever put them up.
struct WeatherBoard: Sendable {
    private let weather: Weather

    init(_ weather: Weather) {
        self.weather = weather
    }

    /// Puts up the entries of a document: an array, or one entry.
    func add(_ json: [UInt8]) throws(PageRefusal) {
        let isList = json.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 } == UInt8(ascii: "[")
        for entry in try WeatherEntry.list(isList ? json : Array("[".utf8) + json + Array("]".utf8)) {
            entry.apply(to: self.weather)
        }
    }

    func clear() {
        self.weather.clear()
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("standing")
        writer.beginArray()
        for (route, fault) in self.weather.standing { writer.value(WeatherEntry.json(fault, on: route)) }
        writer.endArray()
        writer.member("remaining", self.weather.remaining)
        writer.member("faults", .array(WeatherEntry.faults.map(JSONValue.string)))
        writer.member("routes", .array(EmulatorRoute.allCases.map { .string($0.rawValue) }))
        writer.endObject()
    }
}

extension WeatherEntry {
    func apply(to weather: Weather) {
        if let times = self.times {
            weather.next(on: self.route, self.fault, times: times)
        } else {
            weather.always(on: self.route, self.fault)
        }
    }
}

extension Weather {
    /// Puts up the entries of a weather file.
    ///
    /// - Parameter json: An array of entries.
    /// - Throws: ``EmulatorServerError`` that says what is wrong with it; then nothing of it is put up.
    package func add(file json: [UInt8]) throws(EmulatorServerError) {
        do throws(PageRefusal) {
            for entry in try WeatherEntry.list(json) { entry.apply(to: self) }
        } catch {
            throw EmulatorServerError(.invalidHistory, error.message)
        }
    }
}
#endif
