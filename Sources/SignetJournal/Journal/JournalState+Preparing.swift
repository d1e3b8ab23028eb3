// SPDX-License-Identifier: Apache-2.0

extension JournalState {
    /// Takes the number and the capacity of the next file, if it should be made now.
    mutating func takeNextFile() -> (number: UInt64, capacity: UInt64)? {
        guard !self.isClosed, self.canMap, self.next.isWanted else { return nil }
        return (self.takeNumber(), max(self.options.segmentSize, UInt64(FileHeader.size)))
    }

    /// Holds the next file until an append needs it.
    ///
    /// - Returns: False if the file must be removed, because an append began a newer one meanwhile. The numbers of files
    ///   that are begun only grow.
    mutating func keep(_ prepared: PreparedSegment) -> Bool {
        guard prepared.number > self.segments.all.last?.number ?? 0 else { return false }
        self.next.keep(prepared)
        return true
    }

    /// Takes the next file, so that no append begins it.
    mutating func takePrepared() -> PreparedSegment? {
        self.next.take()
    }

    /// Returns the header of the next file for acknowledgements, if it is made outside the lock.
    mutating func takeAcknowledgementHeader() -> FileHeader? {
        guard self.options.aside != nil, !self.isClosed else { return nil }
        let base = self.lastSequence + 1
        return self.withFiles { $0.takeHeader(base: base) }
    }

    /// The number of the next file of each kind.
    var nextNumbers: [FileHeader.Kind: UInt64] {
        [.journal: self.nextNumber, .acknowledgements: self.acknowledgements.nextNumber]
    }
}
