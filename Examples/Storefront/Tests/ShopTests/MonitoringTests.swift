// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import Shop
import Signet
import SignetEmulator
import SignetWebVisitors
import Testing

@Suite(.timeLimit(.minutes(5))) struct MonitoringTests {
    @Test func probesAreAnsweredAndMakeNoVisitor() async throws {
        let emulator = try await OpenShop.visit { shop async throws in
            #expect(try await shop.send(.get, "/healthz").status == 200)
            let ready = try await shop.send(.get, "/readyz")
            #expect(ready.status == 200 && ready.visitorCookie == nil)
            #expect(ready.text.contains("\"ready\""), "\(ready.text)")
        }
        #expect(emulator.users().isEmpty)
    }

    @Test func aPlatformThatIsDownTakesNoShopAway() async throws {
        try await OpenShop.visit { shop async throws in
            shop.emulator.faults.injectAlways(.status(500), on: .events)
            let guest = VisitorID.random()
            _ = try await shop.send(.get, "/", as: guest)
            // Events without a user wait for one and are not sent, so that no request could fail.
            let visitor = try await shop.signet.open(guest.installation, identify: .none)
            while visitor.currentUser == nil { await Task.yield() }
            await #expect(throws: SignetError.self) { try await shop.signet.upload() }
            let answer = try await shop.send(.get, "/readyz")
            #expect(answer.status == 200)
            #expect(answer.text.contains("uploads_paused") && answer.text.contains("HTTP 500"), "\(answer.text)")
            shop.emulator.faults.clear()
        }
    }

    @Test func metricsAreTheTextOfPrometheus() {
        let metrics = PrometheusMetrics()
        metrics.makeCounter(label: "a.b", dimensions: [("x.y", "say \"no\"")]).increment(by: 2)
        metrics.makeCounter(label: "a.b", dimensions: [("x.y", "say \"no\"")]).increment(by: 1)
        metrics.makeTimer(label: "t", dimensions: []).recordNanoseconds(20_000_000)
        let lines = metrics.text.split(separator: "\n").map(String.init)
        #expect(lines.first == "# TYPE a_b counter")
        #expect(lines.contains("a_b{x_y=\"say \\\"no\\\"\"} 3.0"))
        #expect(lines.contains("t_bucket{le=\"0.01\"} 0") && lines.contains("t_bucket{le=\"0.025\"} 1"))
        #expect(lines.contains("t_bucket{le=\"+Inf\"} 1") && lines.contains("t_sum 0.02"))
        #expect(lines.contains("t_count 1"))
    }
}
