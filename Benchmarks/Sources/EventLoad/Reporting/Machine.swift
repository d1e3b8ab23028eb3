// SPDX-License-Identifier: Apache-2.0

import CFloors
import Glibc

/// Where it was measured.
struct Machine: Sendable, Encodable {
    let processor: String
    let cores: Int
    let kernel: String
    let memoryMebibytes: Int
    let fileSystem: String
    /// Of one minute, at the begin: what else was going on.
    let load: Double
    let crc32cByInstruction: Bool
    /// What two looks at the clock take, which each latency contains.
    let clockNanoseconds: Double

    /// Asks the system.
    ///
    /// - Parameter folder: Where the journals of the run lie.
    init(folder: String) {
        var system = utsname()
        uname(&system)
        self.kernel = withUnsafeBytes(of: &system.release) { Self.text($0) }
        self.cores = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        self.memoryMebibytes = (Int(sysconf(Int32(_SC_PHYS_PAGES))) * Int(sysconf(Int32(_SC_PAGESIZE)))) >> 20
        self.processor = Self.value(of: "model name", in: "/proc/cpuinfo") ?? "unknown"
        self.fileSystem = Self.name(ofFileSystem: floors_file_system(folder))
        var loads = [0.0]
        self.load = getloadavg(&loads, 1) == 1 ? loads[0] : .nan
        self.crc32cByInstruction = CRC32C.isHardware
        self.clockNanoseconds = Nanoseconds.cost()
    }

    /// One line for the table.
    var text: String {
        "\(self.processor), \(self.cores) cores, \(self.memoryMebibytes >> 10) GiB, Linux \(self.kernel), "
            + "\(self.fileSystem), load \(Table.number(self.load)) at the begin, "
            + "two looks at the clock \(Table.number(self.clockNanoseconds)) ns"
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    private static func value(of name: String, in path: String) -> String? {
        do {
            let text = String(decoding: try FileBytes.read(path), as: UTF8.self)
            guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
                let colon = line.firstIndex(of: ":")
            else { return nil }
            return String(line[line.index(after: colon)...].drop { $0 == " " })
        } catch {
            Progress.complain("\(path): \(error)")
            return nil
        }
    }

    // Numbers of statfs(2).
    private static func name(ofFileSystem type: Int) -> String {
        switch type {
        case 0xEF53: "ext4"
        case 0x5846_5342: "xfs"
        case 0x0102_1994: "tmpfs"
        case 0x9123_683E: "btrfs"
        case 0x794C_7630: "overlayfs"
        default: "file system 0x\(String(type, radix: 16))"
        }
    }
}
