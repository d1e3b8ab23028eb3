// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
/// An error of an ``EmulatorServer`` or an ``EmulatorHistory``.
public struct EmulatorServerError: Error, Sendable, Hashable {
    /// The kinds of failure that callers can distinguish.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case notListening, stopped, invalidHistory, storage
        }

        private let kind: Kind

        /// The address or the port cannot be listened on.
        public static let notListening = Code(kind: .notListening)
        /// The server has ended, or has run before.
        public static let stopped = Code(kind: .stopped)
        /// The folder holds the state of another workspace, or its content is invalid.
        public static let invalidHistory = Code(kind: .invalidHistory)
        /// The folder cannot be read or written.
        public static let storage = Code(kind: .storage)

        /// The name of the code.
        public var description: String {
            self.kind.rawValue
        }
    }

    /// The kind of failure.
    public let code: Code
    /// A description of the failure and of a remedy.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension EmulatorServerError: CustomStringConvertible {
    /// The code and the message.
    public var description: String {
        "\(self.code): \(self.message)"
    }
}
#endif
