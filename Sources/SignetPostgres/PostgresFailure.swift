// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import Signet
import SignetModel

/// A failure as the server or libpq describes it, without passwords.
struct PostgresFailure: Error, Sendable, Hashable {
    /// The five characters of SQLSTATE; nil if the server said nothing.
    let state: String?
    /// The reasons; one for each address that was tried.
    let message: String

    /// True if the server ends the connection with it, or will take no more writes over it.
    var endsConnection: Bool {
        guard let state = self.state else { return true }
        return state.hasPrefix("08") || state.hasPrefix("57P") || state == "25006" || state == "53300"
    }

    /// True if the same statement may go through now: two transactions stood in each other's way, or it was not begun.
    var isTransient: Bool {
        self.state == "40P01" || self.state == "40001" || self.isOfPreparing
    }

    /// True if the session does not know the statement that was prepared, or knows it already: a pooler has changed the session.
    var isOfPreparing: Bool {
        self.state == "26000" || self.state == "42P05"
    }

    /// The error of a call whose statement was answered with this failure: the server has rolled it back.
    ///
    /// - Parameter closed: True if the connection ended before the server said that the statement was over.
    /// - Returns: The error in the words of the seam.
    func error(closed: Bool) -> SharedStoreError {
        guard let state = self.state else {
            return SharedStoreError(.outcomeUnknown, "the connection broke before the answer: \(self.message)")
        }
        if let error = Self.refusal(state, self.message) { return error }
        switch state {
        case "25006":
            return SharedStoreError(.unreachable, "the server is a standby now: \(self.message)")
        case "57014":
            return SharedStoreError(.unreachable, "the server did not finish the statement in time, and has undone it")
        case "55P03":
            return SharedStoreError(.locked, "another transaction has locked a row or a table: \(self.message)")
        case _ where state.hasPrefix("08") && PoolerRefusal.isUnsent(self.message):
            return SharedStoreError(.unreachable, "the pooler has no server for it: \(self.message)")
        case _ where state.hasPrefix("08"):
            return SharedStoreError(.outcomeUnknown, "the connection failed: \(self.message)")
        case _ where closed:
            return SharedStoreError(.outcomeUnknown, "\(state) \(self.message)")
        default:
            return SharedStoreError(.failed, "\(state) \(self.message)")
        }
    }

    /// The error of calls while no connection is there, because the last attempt failed with this.
    var connectionError: SharedStoreError {
        if let state = self.state {
            return Self.refusal(state, self.message) ?? SharedStoreError(.unreachable, "\(state) \(self.message)")
        }
        if self.isTLSRefused {
            return SharedStoreError(
                .secureConnectionFailed,
                "no trusted TLS connection; check the server's certificate, or name its root with sslrootcert: \(self.message)"
            )
        }
        return SharedStoreError(.unreachable, self.message)
    }

    /// True if one side refused TLS; false if the connection was lost while TLS was set up.
    ///
    /// libpq has no codes for its own failures; its texts are English unless the program sets a locale.
    private var isTLSRefused: Bool {
        self.message.split(separator: "; ").contains { reason in
            (reason.contains("SSL") || reason.contains("certificate")) && !Self.losses.contains { reason.contains($0) }
        }
    }

    /// Texts of libpq and OpenSSL about a connection that broke, or a server too busy to begin.
    private static let losses = [
        "SSL SYSCALL error", "SSL negotiation packet", "SSL connection has been closed", "unexpected eof while reading",
        "error response during SSL exchange",
    ]

    /// Failures that mean the same before and after the connection is there.
    private static func refusal(_ state: String, _ message: String) -> SharedStoreError? {
        switch state {
        case "28P01", "28000":
            SharedStoreError(.notPermitted, "check user and password in the URL, and pg_hba.conf: \(message)")
        case "42501":
            SharedStoreError(
                .notPermitted,
                "grant the user its rights on the schema signet; `signet store check` names the statements: \(message)"
            )
        case "3D000":
            SharedStoreError(.schemaMissing, "create the database, then run `signet store setup`: \(message)")
        case "42P01", "3F000", "42703":
            SharedStoreError(.schemaMissing, "run `signet store setup`: \(message)")
        case "42804", "42883", "42P10":
            SharedStoreError(
                .schemaMissing,
                "the tables are not as this version needs them; `signet store check` says what to do: \(message)"
            )
        case "23502":
            SharedStoreError(
                .failed,
                "a column lacks values that it needs; `signet store check` says which: \(message)"
            )
        case "53300":
            SharedStoreError(
                .unreachable,
                "the server has no connection left; raise max_connections or use fewer: \(message)"
            )
        case "57P01", "57P02", "57P03":
            SharedStoreError(.unreachable, "the server stops or starts: \(message)")
        case "57P05":
            SharedStoreError(.unreachable, "the server has ended an idle session: \(message)")
        default: nil
        }
    }
}

extension PostgresFailure {
    /// Reads an error message of a connection whose verbosity is `PQERRORS_VERBOSE`: `FATAL:  28P01: password ...`.
    ///
    /// It has a few lines for each address, and for each way to encrypt, that was tried. The first SQLSTATE counts: a server that
    /// answers says more than one that does not.
    init(connectionMessage text: String, redacting secrets: [Secret]) {
        var state: String?
        var reasons: [String] = []
        for line in Self.lines(text, redacting: secrets) {
            if let (found, reason) = Self.stateAndReason(line) {
                state = state ?? found
                reasons.append(reason)
            } else if reasons.isEmpty || line.hasPrefix("connection to ") {
                // The others say where in its source the server failed, and what might be the matter.
                reasons.append(line)
            }
        }
        self.init(state: state, message: reasons.isEmpty ? "no reason was given" : reasons.joined(separator: "; "))
    }

    /// A message of the server with its SQLSTATE.
    init(state: String?, serverMessage text: String, redacting secrets: [Secret]) {
        self.init(state: state, message: Self.lines(text, redacting: secrets).first ?? "no reason was given")
    }

    /// The parts of `... FATAL:  28P01: password ...`; nil for another line.
    private static func stateAndReason(_ line: String) -> (state: String, reason: String)? {
        for piece in line.indices where line[piece...].hasPrefix(":  ") {
            let state = line[piece...].dropFirst(3).prefix(5)
            let rest = line[piece...].dropFirst(8)
            guard state.count == 5, rest.hasPrefix(": "),
                state.allSatisfy({ $0.isASCII && ($0.isNumber || $0.isUppercase) })
            else { continue }
            return (String(state), String(rest.dropFirst(2)))
        }
        return nil
    }

    private static func lines(_ text: String, redacting secrets: [Secret]) -> [String] {
        var text = text
        // Before the text is cut: a secret may have more than one line.
        for secret in secrets {
            text = secret.withExposed { $0.isEmpty ? text : text.replacing($0, with: "<redacted>") }
        }
        return text.split(whereSeparator: \.isNewline).map(String.init)
    }
}
#endif
