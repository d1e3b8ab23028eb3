// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

/// The last 50 breadcrumbs of one user of an installation, to go with a crash report.
///
/// The trail has its own record on disk, because a crash is reported by the next process.
struct BreadcrumbTrail: Sendable, Hashable {
    /// The most breadcrumbs that are kept (the limit of the vendors' SDKs).
    static let limit = 50
    /// The most bytes of text of a breadcrumb's attributes; a crash report has room for 100 KiB.
    static let attributeBytes = 1024
    private static let version: Int64 = 1

    /// The user; nil before the first user, who then gets the breadcrumbs.
    let user: MPID?
    /// The breadcrumbs, oldest first.
    private(set) var breadcrumbs: [Breadcrumb] = []

    /// Makes an empty trail.
    init(of user: MPID?) {
        self.user = user
    }

    /// Appends a breadcrumb and drops the oldest beyond the limit.
    ///
    /// Attributes longer than ``attributeBytes`` are left out: the breadcrumb's own event has them.
    mutating func leave(_ label: String, _ attributes: Attributes = [:], at milliseconds: Int64) {
        if self.breadcrumbs.count == Self.limit { self.breadcrumbs.removeFirst() }
        let bytes = attributes.reduce(0) { $0 + $1.key.utf8.count + $1.value.text.utf8.count }
        self.breadcrumbs.append(
            Breadcrumb(
                label: label,
                milliseconds: milliseconds,
                attributes: bytes <= Self.attributeBytes ? attributes : [:]
            )
        )
    }

    /// Prepends the breadcrumbs left before the first user.
    mutating func inherit(_ trail: BreadcrumbTrail) {
        self.breadcrumbs = (self.breadcrumbs + trail.breadcrumbs).suffix(Self.limit)
    }

    // MARK: - Bytes

    /// Returns the bytes on disk.
    func encoded() -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 64 + 64 * self.breadcrumbs.count)
        writer.beginObject()
        writer.member("version", Self.version)
        if let user { writer.member("user", user.description) }
        writer.key("breadcrumbs")
        writer.beginArray()
        for breadcrumb in self.breadcrumbs {
            writer.beginObject()
            writer.member("at", breadcrumb.milliseconds)
            writer.member("label", breadcrumb.label)
            if !breadcrumb.attributes.isEmpty {
                writer.key("attributes")
                writer.beginObject()
                for (key, value) in breadcrumb.attributes {
                    writer.key(key)
                    value.write(to: &writer)
                }
                writer.endObject()
            }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Reads the bytes on disk; nil if they are not a trail.
    init?(_ bytes: [UInt8]) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONReader.read(bytes) } catch { return nil }
        guard value["version"]?.number?.int64 == Self.version, let list = value["breadcrumbs"]?.array,
            list.count <= Self.limit
        else { return nil }
        let user = value["user"]?.string
        self.init(of: user.flatMap { MPID($0) })
        guard (user == nil) == (self.user == nil) else { return nil }
        for breadcrumb in list {
            guard let at = breadcrumb["at"]?.number?.int64, let label = breadcrumb["label"]?.string else { return nil }
            var attributes: [(String, AttributeValue)] = []
            for (key, value) in breadcrumb["attributes"]?.object ?? [:] {
                guard let value = AttributeValue(value) else { return nil }
                attributes.append((key, value))
            }
            self.breadcrumbs.append(
                Breadcrumb(label: label, milliseconds: at, attributes: Attributes(attributes))
            )
        }
    }
}
