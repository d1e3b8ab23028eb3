// SPDX-License-Identifier: Apache-2.0

/// The records of one service for one installation: a memory, and numbered records beside it.
///
/// The keys name the service and the installation's number, so the runtime removes them without the service.
package struct ServiceRecords: Sendable {
    package let store: StateStore
    private let tag: UInt8
    /// The number of the installation.
    package let number: UInt32

    init(_ store: StateStore, tag: UInt8, installation number: UInt32) {
        (self.store, self.tag, self.number) = (store, tag, number)
    }

    /// The records of a service for the installation with this number.
    package init(_ store: StateStore, of service: ServiceDefinition, installation number: UInt32) {
        self.init(store, tag: service.tag, installation: number)
    }

    /// The key of the memory.
    package var memoryKey: [UInt8] {
        StateKey.serviceMemory(self.tag, self.number)
    }

    /// Writes the memory, marked if a later process has work to do without the app.
    package func put(memory: [UInt8], isDue: Bool) throws(SignetError) {
        try self.store.put(memory, for: self.memoryKey, isDue: isDue)
    }

    /// True if the memory on disk is marked.
    package var isMarked: Bool {
        self.store.isDue(self.memoryKey)
    }

    /// True if a memory was ever kept.
    package var isThere: Bool {
        self.store.contains(self.memoryKey)
    }

    /// The key of a numbered record.
    package func key(_ ordinal: UInt64) -> [UInt8] {
        self.memoryKey + withUnsafeBytes(of: ordinal.bigEndian, Array.init)
    }

    /// The keys of all numbered records.
    package func keys() throws(SignetError) -> [[UInt8]] {
        let memory = self.memoryKey
        return try self.store.keys(withPrefix: memory).filter { $0.count > memory.count }
    }

    /// The number in the key of a numbered record; nil for another key.
    package func ordinal(of key: [UInt8]) -> UInt64? {
        let memory = self.memoryKey
        guard key.count == memory.count + 8, key.starts(with: memory) else { return nil }
        return key.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Removes everything.
    ///
    /// - Returns: The number of removed numbered records.
    @discardableResult
    package func removeAll() throws(SignetError) -> Int {
        // The memory last shows at a kill in between that records are left.
        let keys = try self.keys()
        for key in keys { try self.store.remove(key) }
        if self.isThere { try self.store.remove(self.memoryKey) }
        return keys.count
    }
}

extension StateKey {
    /// The memory of a service for an installation; the prefix of its numbered records.
    static func serviceMemory(_ tag: UInt8, _ number: UInt32) -> [UInt8] {
        Self.services(of: number) + [tag]
    }

    /// The prefix of the records of all services for an installation.
    static func services(of number: UInt32) -> [UInt8] {
        Self.services + withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    /// The prefix of the records of all services.
    static let services: [UInt8] = [UInt8(ascii: "S")]

    /// The service and the installation in the key of a memory or a numbered record.
    static func service(in key: [UInt8]) -> (number: UInt32, tag: UInt8)? {
        guard key.count >= 6, key.starts(with: Self.services) else { return nil }
        return (key[1..<5].reduce(0) { $0 << 8 | UInt32($1) }, key[5])
    }
}

extension ServiceDefinition {
    /// The key of a value that all installations of the service share.
    package func sharedKey(_ name: [UInt8]) -> [UInt8] {
        StateKey.sharedServiceValues + [self.tag] + name
    }

    /// True for the place of a memory of the service that could not be read.
    package func isUnreadableMemory(_ key: [UInt8]) -> Bool {
        let original = Array(key.dropFirst(1 + 16))
        return key.starts(with: StateKey.unreadables) && original.count == 6
            && StateKey.service(in: original)?.tag == self.tag
    }
}
