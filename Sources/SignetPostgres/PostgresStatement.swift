// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import struct FoundationEssentials.UUID

/// One statement with its parameters, in the binary format of PostgreSQL.
struct PostgresStatement: Sendable {
    /// A parameter: its type, and its bytes; nil is null.
    struct Parameter: Sendable {
        let type: UInt32
        let bytes: [UInt8]?
    }

    /// A text that is sent often: a connection prepares it before its first use.
    struct Often: Sendable {
        let text: String
        /// A name that no other text has: a pooler may share the server's session with another version of this module.
        let name: String

        init(_ text: String) {
            // FNV-1a.
            let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
            (self.text, self.name) = (text, "signet_\(String(hash, radix: 16))")
        }
    }

    /// The way in which a text is sent.
    enum Form: Sendable {
        /// As it is.
        case plain
        /// Prepared by the connection under this name.
        case prepared(String)
        /// Several statements in one text, without parameters.
        case script
    }

    let text: String
    let form: Form
    var parameters: [Parameter] = []
    /// True if it changes something, so that its commit waits for the standbys that the server is told to wait for.
    var waitsForStandbys: Bool
    /// The part of its time that it may wait for one lock.
    var lockTenths: Int64 = 9

    init(_ text: String, _ parameters: Parameter...) {
        (self.text, self.form) = (text, .plain)
        self.parameters = parameters
        self.waitsForStandbys = !text.hasPrefix("select ")
    }

    init(_ often: Often, _ parameters: Parameter...) {
        (self.text, self.form) = (often.text, .prepared(often.name))
        self.parameters = parameters
        self.waitsForStandbys = !often.text.hasPrefix("select ")
    }

    init(script: String) {
        (self.text, self.form, self.waitsForStandbys) = (script, .script, true)
    }
}

/// The types of `pg_type.dat` that this module sends.
private enum TypeID {
    static let bytes: UInt32 = 17
    static let integer: UInt32 = 20
    static let small: UInt32 = 21
    static let text: UInt32 = 25
    static let uuid: UInt32 = 2950
    static let bytesArray: UInt32 = 1001
    static let smallArray: UInt32 = 1005
    static let textArray: UInt32 = 1009
    static let integerArray: UInt32 = 1016
    static let uuidArray: UInt32 = 2951
}

extension PostgresStatement.Parameter {
    static func integer(_ value: Int64) -> Self { Self(type: TypeID.integer, bytes: value.bigEndianBytes) }
    static func text(_ value: String) -> Self { Self(type: TypeID.text, bytes: Array(value.utf8)) }
    static func bytes(_ value: [UInt8]) -> Self { Self(type: TypeID.bytes, bytes: value) }
    static func uuid(_ value: UUID?) -> Self { Self(type: TypeID.uuid, bytes: value?.allBytes) }

    static func uuids(_ values: [UUID?]) -> Self {
        Self(type: TypeID.uuidArray, elements: TypeID.uuid, values.map { $0?.allBytes })
    }

    static func integers(_ values: [Int64?]) -> Self {
        Self(type: TypeID.integerArray, elements: TypeID.integer, values.map { $0?.bigEndianBytes })
    }

    static func smalls(_ values: [Int16]) -> Self {
        Self(type: TypeID.smallArray, elements: TypeID.small, values.map { $0.bigEndianBytes })
    }

    static func texts(_ values: [String]) -> Self {
        Self(type: TypeID.textArray, elements: TypeID.text, values.map { Array($0.utf8) })
    }

    static func bytesArray(_ values: [[UInt8]?]) -> Self {
        Self(type: TypeID.bytesArray, elements: TypeID.bytes, values)
    }

    /// An array of one dimension, as `array_recv` reads it: dimensions, has nulls, type, then length and first index, then the elements.
    private init(type: UInt32, elements: UInt32, _ values: [[UInt8]?]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20 + values.reduce(0) { $0 + 4 + ($1?.count ?? 0) })
        bytes += Int32(values.isEmpty ? 0 : 1).bigEndianBytes
        bytes += Int32(values.contains { $0 == nil } ? 1 : 0).bigEndianBytes
        bytes += elements.bigEndianBytes
        if !values.isEmpty { bytes += Int32(values.count).bigEndianBytes + Int32(1).bigEndianBytes }
        for value in values {
            bytes += Int32(value?.count ?? -1).bigEndianBytes
            bytes += value ?? []
        }
        self.init(type: type, bytes: bytes)
    }
}

extension FixedWidthInteger {
    /// The bytes, most significant first.
    var bigEndianBytes: [UInt8] {
        withUnsafeBytes(of: self.bigEndian) { Array($0) }
    }
}

extension UUID {
    /// The 16 bytes.
    var allBytes: [UInt8] {
        withUnsafeBytes(of: self.uuid) { Array($0) }
    }

    /// Makes an id of 16 bytes.
    init(bytes: UnsafeRawBufferPointer) {
        var value:
            (
                UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8,
                UInt8
            ) = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &value) { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(16))) }
        self.init(uuid: value)
    }
}
#endif
