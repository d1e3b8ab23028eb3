// SPDX-License-Identifier: Apache-2.0

import SignetJournal

extension Journal {
    /// Opens a journal with files of a size.
    convenience init(
        directory: String,
        segmentBytes: Int,
        storage: Options.Storage = .automatic,
        works: WorkList? = nil,
        disk: Disk = Disk()
    ) throws(StorageError) {
        var options = Options()
        options.segmentBytes = segmentBytes
        options.storage = storage
        options.handOver(to: works)
        try self.init(directory: directory, options: options, disk: disk)
    }

    /// Opens a journal with files of the usual size.
    convenience init(directory: String, storage: Options.Storage, disk: Disk = Disk()) throws(StorageError) {
        try self.init(directory: directory, segmentBytes: Options().segmentBytes, storage: storage, disk: disk)
    }
}

extension Journal.Options.Storage {
    /// Both ways of frames into files, which promise the same.
    static let both: [Self] = [.automatic, .written]
}

extension Journal {
    /// One live frame; nil when there is none, or when it is damaged.
    func frame(_ sequence: UInt64) throws(StorageError) -> Frame? {
        var frame: Frame?
        try self.read([sequence]) { sequence, stamp, payload in
            frame = Frame(sequence: sequence, stamp: Array(stamp), payload: Array(payload))
        }
        return frame
    }
}
