// SPDX-License-Identifier: Apache-2.0

package import SignetTransport

/// The delay that the platform asks for before the next request (RFC 9110, 10.2.3).
package enum RetryAfter {
    /// The maximum delay that is respected.
    package static let maximum = Duration.seconds(86_400)

    /// Reads the delay of an answer.
    ///
    /// - Parameters:
    ///   - headers: The headers of the answer. Of several fields, or several numbers in one, the longest delay counts: a
    ///     proxy may have added its own.
    ///   - now: The wall clock, milliseconds since 1970.
    /// - Returns: 0 s to 24 h; nil when no field holds a number of seconds, whole or with decimals, or an HTTP date that is not
    ///   past. The caller then applies its own rule.
    package static func delay(_ headers: HTTPHeaders, now: Int64) -> Duration? {
        headers.values(of: "Retry-After").compactMap { Self.delay(of: $0, now: now) }.max()
    }

    private static func delay(of field: String, now: Int64) -> Duration? {
        let text = Self.trimmed(field[...])
        if let moment = HTTPDate.parse(String(text), now: now) {
            let (wait, overflow) = moment.subtractingReportingOverflow(now)
            guard !overflow, wait >= 0 else { return nil }
            return min(.milliseconds(wait), Self.maximum)
        }
        // Some clients join two fields with a comma (RFC 9110, 5.3).
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Self.seconds(Self.trimmed($0)) }
        return parts.contains(nil) ? nil : parts.compactMap(\.self).max()
    }

    // Digits, with optional decimals: integer arithmetic, so that no number of digits can trap or lose precision.
    private static func seconds(_ text: Substring) -> Duration? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isDigit) }) else { return nil }
        guard let whole = Int64(parts[0]), whole < Self.maximum.components.seconds else { return Self.maximum }
        let decimals = parts.count == 2 ? parts[1].prefix(9) : ""
        let padded = decimals + String(repeating: "0", count: 9 - decimals.utf8.count)
        return .seconds(whole) + .nanoseconds(Int64(padded) ?? 0)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first == " " || text.first == "\t" {
            text.removeFirst()
        }
        while text.last == " " || text.last == "\t" {
            text.removeLast()
        }
        return text
    }
}
