//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Testing

@testable import SignetEmulator

struct ForecastTests {
    /// Statuses stand for faults here: they can be told apart.
    private static func status(_ fault: Weather.Fault?) -> Int? {
        if case .status(let status, _) = fault { status } else { nil }
    }

    @Test func withoutAScriptThereIsNoFault() {
        var forecast = Forecast()
        #expect(forecast.take(for: .login) == nil)
        #expect(forecast.remaining == 0)
    }

    @Test func theOldestFaultForTheRouteComesFirst() {
        var forecast = Forecast()
        forecast.next(on: .login, .status(1), times: 1)
        forecast.next(on: nil, .status(2), times: 1)
        forecast.next(on: .login, .status(3), times: 1)
        #expect(forecast.remaining == 3)
        #expect(Self.status(forecast.take(for: .events)) == 2)
        #expect(Self.status(forecast.take(for: .login)) == 1)
        #expect(Self.status(forecast.take(for: .events)) == nil)
        #expect(Self.status(forecast.take(for: .login)) == 3)
        #expect(forecast.remaining == 0)
    }

    @Test func aFaultIsMetAsOftenAsItIsScripted() {
        var forecast = Forecast()
        forecast.next(on: nil, .status(1), times: 2)
        forecast.next(on: nil, .status(2), times: 0)
        forecast.next(on: nil, .status(3), times: -1)
        #expect((1...3).map { _ in Self.status(forecast.take(for: nil)) } == [1, 1, nil])
    }

    @Test func aStandingFaultWaitsForTheScriptToEndAndStays() {
        var forecast = Forecast()
        forecast.always(on: nil, .status(1))
        forecast.always(on: .login, .status(2))
        forecast.next(on: nil, .status(3), times: 1)
        #expect(Self.status(forecast.take(for: .login)) == 3)
        #expect((1...2).map { _ in Self.status(forecast.take(for: .login)) } == [2, 2])
        #expect((1...2).map { _ in Self.status(forecast.take(for: .events)) } == [1, 1])
        forecast.always(on: .login, .status(4))
        #expect(Self.status(forecast.take(for: .login)) == 4)
    }

    @Test func clearingForgetsEverything() {
        let weather = Weather()
        weather.always(.status(1))
        weather.next(.status(2), times: 5)
        #expect(weather.remaining == 5)
        weather.clear()
        #expect(weather.remaining == 0)
        #expect(weather.take(for: .login) == nil)
    }
}

extension Weather.Fault? {
    fileprivate static func == (fault: Weather.Fault?, nothing: _OptionalNilComparisonType) -> Bool {
        if case .none = fault { true } else { false }
    }
}
