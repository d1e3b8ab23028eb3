// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The last 50 breadcrumbs of one user of an installation, to go with a crash report.
///
/// The trail has its own record on disk, because a crash is reported by the next process.
struct BreadcrumbTrail: Sendable, Hashable {
    /// The most breadcrumbs that are kept (the limit of the vendors' SDKs).
    static let limit = 50
    /// The most bytes of text of a breadcrumb's attributes; a crash report has room for 100 KiB.
    static let attributeBytes = 1024

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
}

extension BreadcrumbTrail: StoredRecord {
    static var subject: String { "the breadcrumbs of a user" }
    var expectedSize: Int { 64 + 64 * self.breadcrumbs.count }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("user", self.user)
        encoder.write("crumbs", self.breadcrumbs)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self.user = try decoder.optional("user")
        self.breadcrumbs = try decoder.read("crumbs")
        guard self.breadcrumbs.count <= Self.limit else { throw RecordDamage(field: "crumbs") }
    }
}

extension Breadcrumb: RecordFields {
    package func encode(into encoder: inout RecordEncoder) {
        encoder.write("at", self.milliseconds)
        encoder.write("label", self.label)
        encoder.write("attributes", self.attributes.isEmpty ? nil : self.attributes)
    }

    package init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(
            label: decoder.read("label"),
            milliseconds: decoder.read("at"),
            attributes: decoder.optional("attributes") ?? [:]
        )
    }
}
