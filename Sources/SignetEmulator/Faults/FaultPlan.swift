// SPDX-License-Identifier: Apache-2.0

/// The pending faults, and the choice of the fault for a request.
struct FaultPlan: Sendable {
    private var scripted: [(route: EmulatorRoute?, fault: FaultInjector.Fault, times: Int)] = []
    private(set) var standing: [EmulatorRoute?: FaultInjector.Fault] = [:]

    var remaining: Int {
        self.scripted.reduce(0) { $0 + $1.times }
    }

    var isClear: Bool {
        self.scripted.isEmpty && self.standing.isEmpty
    }

    mutating func inject(_ fault: FaultInjector.Fault, on route: EmulatorRoute?, times: Int) {
        guard times > 0 else { return }
        self.scripted.append((route, fault, times))
    }

    mutating func injectAlways(_ fault: FaultInjector.Fault, on route: EmulatorRoute?) {
        self.standing[route] = fault
    }

    mutating func take(for route: EmulatorRoute?) -> FaultInjector.Fault? {
        guard let index = self.scripted.firstIndex(where: { $0.route == nil || $0.route == route }) else {
            return self.standing[route] ?? self.standing[nil]
        }
        let fault = self.scripted[index].fault
        if self.scripted[index].times > 1 {
            self.scripted[index].times -= 1
        } else {
            self.scripted.remove(at: index)
        }
        return fault
    }
}
