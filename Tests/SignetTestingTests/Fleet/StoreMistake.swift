// SPDX-License-Identifier: Apache-2.0

/// The mistake of a ``WrongStore``.
enum StoreMistake: String, Sendable, CaseIterable {
    case ignoresTheTag
    case ignoresTheLastEvent
    case comparesTheLastMomentAlone
    case createsOverARow
    case keepsTheNewestTagOnly
    case stopsAtARefusal
    case mentionsBeforeItChecks
    case neverForgetsAMention
    case pagesBySignedBytes
    case cutsTheStateAtZero
    case composesIDs
    case takesAnyNumberOfKeys
    case commitsWithoutTheSlot
    case keepsTheSlotAfterTheCommit
    case givesTheSlotToAnyone
    case neverFreesAFarSlot
    case releasesForAnyToken
    case renewsForAnyToken
    case refusesALateRenewal
    case countsARepetition
    case flushesIntoAnySession
    case flushesWithANewTag
    case makesNoBeatOfAnEmptyFlush
    case ignoresTheAge
    case movesTheBeatBack
    case movesTheBeatOnARepetition
    case trustsABeatAheadOfItsClock
    case takesARepeatedJoiningForAnother
    case knowsWhoHasOnlyFlushed
    case claimsWithoutMovingTheMoment
    case claimsTheLatestFirst
    case removesWithASession
    case removesOnAnyTag
    case acknowledgesAllBefore
    case notesARepeatedErasure
    case forgetsWhoHasLeft
    case readsFromAStandby
    case readsTheStateBeforeTheTag
    case takesTheSlotOfAnOldRow
    case tellsAnOldTime
    case ignoresCancellation
    case worksAfterItsEnd
    case takesAnyWorkspace
    case cutsIDsAt255Bytes
    case takesAnEmptyStateForNone
    case readsAKeyOnce
    case makesARowOnATag
    case beginsSessionsAtTheirStart
    case freesTheSlotOnEachCommit
    case keepsASlotOverItsTime
    case refusesTheSameToken
    case renewsAFreeSlot
    case knowsATokenOfAnyReplica
    case makesARowOnAFlush
    case answersAFlushInTheOrderOfKeys
    case removesWhatIsYoung
    case forgetsWhatIsYoung
    case acknowledgesForAll
    case hidesErasuresFromBefore
    case tellsNoOldestErasure
    case countsNoErasures
    case finishesTheRowsOfAll
    case forgetsDoneRowsOnARepetition
    case forgetsUnfinishedErasures
    case listsErasuresBySignedBytes
    case listsUsersOncePerRow
    case namesNoJoining
    case ignoresTheTagOfAConsent
    case readsRowsWithoutConsents
    case keepsTheConsentOfAnErasedUser
    case removesYoungConsents

    /// Cases that must catch it; others may as well.
    var isCaughtBy: Set<String> {
        switch self {
        case .ignoresTheTag:
            [
                "a commit on an old tag differs and returns the row", "a refused commit changes no part",
                "of 32 commits on one tag, one wins, each round",
            ]
        case .ignoresTheLastEvent: ["the end of a session differs if a replica has flushed since"]
        case .comparesTheLastMomentAlone:
            ["the end of a session differs if a replica has flushed an event of the same moment"]
        case .createsOverARow: ["a row is made only if it is missing", "of 32 creators of one row, one wins"]
        case .keepsTheNewestTagOnly:
            [
                "a row remembers the last 16 tags, newest first",
                "a commit whose reply was lost is found by its tag, behind another commit as well",
            ]
        case .stopsAtARefusal: ["a refused commit does not stop the others of its call"]
        case .mentionsBeforeItChecks: ["a refused commit mentions and forgets nobody"]
        case .neverForgetsAMention: ["a row mentions a user until a commit forgets it"]
        case .pagesBySignedBytes: ["the keys of mentions come in pages, in the order of their bytes"]
        case .cutsTheStateAtZero: ["each value of a byte comes back", "64 KiB of state and of outbox come back"]
        case .composesIDs:
            ["ids come back byte by byte: quotes, emoji, right to left, composed and decomposed"]
        case .takesAnyNumberOfKeys: ["256 commits and 256 keys are one call; 257 are refused"]
        case .commitsWithoutTheSlot:
            ["a commit with a lost slot differs", "a commit with a released slot differs"]
        case .keepsTheSlotAfterTheCommit: ["a commit with the slot's token frees the slot"]
        case .givesTheSlotToAnyone: ["a slot in use is held", "of 32 wishes for one slot, one gets it"]
        case .neverFreesAFarSlot:
            ["a slot further ahead than twice the span is free: the database's clock was set back"]
        case .releasesForAnyToken: ["a slot is released by its own token alone"]
        case .renewsForAnyToken: ["a slot that another has taken is not renewed"]
        case .refusesALateRenewal: ["a slot over its time is renewed while nobody has taken it"]
        case .countsARepetition: ["a flush that is repeated adds nothing and answers the same"]
        case .flushesIntoAnySession:
            ["a flush of another session changes nothing", "a session that begins replaces the open one"]
        case .flushesWithANewTag: ["a flush adds events, moves the last moment, and changes nothing else"]
        case .makesNoBeatOfAnEmptyFlush: ["each flush is a beat, one without activities too"]
        case .ignoresTheAge: ["a beat is as old as the flush that makes it"]
        case .movesTheBeatBack: ["an old flush does not move the beat back"]
        case .movesTheBeatOnARepetition: ["a flush that is repeated leaves the beat"]
        case .trustsABeatAheadOfItsClock: ["a beat ahead of the database's clock does not count"]
        case .takesARepeatedJoiningForAnother:
            ["joining that is repeated answers as the first time", "joining that is repeated leaves the beat"]
        case .knowsWhoHasOnlyFlushed: ["a replica that has only flushed is new when it joins"]
        case .claimsWithoutMovingTheMoment:
            [
                "due rows are claimed, the earliest first, and their moment moves ahead",
                "a claimed row is not due until the span is over, then it is again",
                "claims at once share the rows: each row once",
            ]
        case .claimsTheLatestFirst: ["due rows are claimed, the earliest first, and their moment moves ahead"]
        case .removesWithASession: ["a row is not removed with a session"]
        case .removesOnAnyTag: ["a row is not removed on an old tag"]
        case .acknowledgesAllBefore:
            ["pending erasures come oldest first, and acknowledging a later one leaves the earlier"]
        case .notesARepeatedErasure: ["an erasure is noted once, with the time of the database"]
        case .forgetsWhoHasLeft:
            [
                "a replica that has left is known and has no beat, until it joins again",
                "what is young is not forgotten: replicas that live, replicas that have left, erasures",
            ]
        case .readsFromAStandby: ["what one replica has committed, the next reading of another sees"]
        case .readsTheStateBeforeTheTag:
            ["a row comes back whole after each of many commits"]
        case .takesTheSlotOfAnOldRow: ["a row comes back whole after each of many commits"]
        case .tellsAnOldTime: ["the time of the answers does not go backwards within a task"]
        case .ignoresCancellation: ["a call of a task that is cancelled throws so"]
        case .worksAfterItsEnd: ["a store that is closed refuses every call"]
        case .takesAnyWorkspace: ["a workspace may be prepared again, another is refused"]
        case .cutsIDsAt255Bytes: ["an id of 256 bytes comes back"]
        case .takesAnEmptyStateForNone: ["an empty state comes back"]
        case .readsAKeyOnce: ["a key that is there twice is refused"]
        case .makesARowOnATag: ["a commit on a tag of a missing row differs with nothing"]
        case .beginsSessionsAtTheirStart: ["a session begins with a commit, and later commits keep it"]
        case .freesTheSlotOnEachCommit: ["a commit without a token leaves the slot alone"]
        case .keepsASlotOverItsTime: ["a slot over its time is free"]
        case .refusesTheSameToken: ["the token that has the slot has it again"]
        case .renewsAFreeSlot: ["a slot that nobody has is not renewed"]
        case .knowsATokenOfAnyReplica: ["another token adds again, and so does another replica with the same token"]
        case .makesARowOnAFlush: ["a flush of a missing row makes none"]
        case .answersAFlushInTheOrderOfKeys: ["a flush of many rows answers in their order"]
        case .removesWhatIsYoung: ["a row that was committed to today is not idle"]
        case .forgetsWhatIsYoung:
            ["what is young is not forgotten: replicas that live, replicas that have left, erasures"]
        case .acknowledgesForAll: ["an erasure is pending for a replica until it has acknowledged"]
        case .hidesErasuresFromBefore: ["a replica that joins after an erasure has it pending too"]
        case .finishesTheRowsOfAll, .forgetsDoneRowsOnARepetition:
            ["the rows of an erasure are done once that is noted"]
        case .forgetsUnfinishedErasures: ["erasures, and replicas that have left or died, are forgotten after a time"]
        case .listsErasuresBySignedBytes: ["all erasures come in pages, in the order of their bytes"]
        case .listsUsersOncePerRow:
            ["the users whom rows mention come in pages, each once, in the order of their numbers"]
        case .ignoresTheTagOfAConsent:
            ["a consent is written on the tag that was read, and only on it", "of many writers on one tag, one wins"]
        case .readsRowsWithoutConsents: ["a row has the consents of the users whom it mentions"]
        case .keepsTheConsentOfAnErasedUser:
            ["no consent of a user whom no row mentions is made, and an erasure removes it"]
        case .removesYoungConsents: ["old consents are removed of users whom no row mentions"]
        case .namesNoJoining: ["a flush names the token of the replica's last joining"]
        case .countsNoErasures: ["a flush that counts pending erasures counts those of its replica"]
        case .tellsNoOldestErasure: ["a replica that joins is told the moment of the oldest erasure"]
        }
    }
}
