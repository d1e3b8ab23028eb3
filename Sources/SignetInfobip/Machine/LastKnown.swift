// SPDX-License-Identifier: Apache-2.0

/// The service's last answer about something, with the changes that it has taken since.
enum LastKnown<Value: Sendable & Hashable>: Sendable, Hashable {
    /// The service has this value.
    case exact(Value)
    /// The service may have another value: after a refused change, whose earlier attempt it may have taken, or a change
    /// through another installation. Equal values are sent all the same.
    case doubtful(Value)

    /// The value, however certain it is.
    var value: Value {
        get {
            switch self {
            case .exact(let value), .doubtful(let value): value
            }
        }
        set {
            self =
                switch self {
                case .exact: .exact(newValue)
                case .doubtful: .doubtful(newValue)
                }
        }
    }

    /// The value; nil if the service may have another one.
    var certain: Value? {
        if case .exact(let value) = self { value } else { nil }
    }

    mutating func doubt() {
        self = .doubtful(self.value)
    }
}
