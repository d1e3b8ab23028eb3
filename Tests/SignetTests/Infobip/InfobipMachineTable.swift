// SPDX-License-Identifier: Apache-2.0

/// What becomes of a profile: stage, what happens, what comes of it, and what is remembered and next.
enum InfobipMachineTable {
    static let rows = """
        new | await | waits | none
        new | fetch | throws notRegistered | none
        new | fetchOwn | throws notRegistered | none
        new | save | pending, save | none C dirty
        new | same | pending, save | none Ann dirty
        new | saveOwn | pending, save | none dirtyOwn
        new | personalize | throws notRegistered | none
        new | force | throws notRegistered | none
        new | depersonalize | throws notRegistered, save | none
        new | other | throws notRegistered | none
        new | token | save, tell token | unregistered, then register
        new | noToken | - | none
        new | event | store 0, save | none event
        new | expire | save | none
        new | forget | save, drop 0 | none
        new | login | save | none linked
        new | logout | save, linked done | none
        new | done | - | none
        new | lost | - | none
        new | refused | - | none
        new | identity | - | none
        new | failed | - | none
        new | unanswered | - | none
        new | late | - | none

        waiting | await | waits | unregistered, then register
        waiting | fetch | waits | unregistered, then register
        waiting | fetchOwn | waits | unregistered, then register
        waiting | save | waits, save | unregistered C dirty, then register
        waiting | same | waits, save | unregistered Ann dirty, then register
        waiting | saveOwn | waits, save | unregistered dirtyOwn, then register
        waiting | personalize | waits | unregistered, then register
        waiting | force | waits | unregistered, then register
        waiting | depersonalize | done, save, tell depersonalized | unregistered, then register
        waiting | other | waits | unregistered, then register
        waiting | token | save, tell token | unregistered, then register
        waiting | noToken | save | none
        waiting | event | store 0, save | unregistered event, then register
        waiting | expire | save | unregistered, then register
        waiting | forget | save, drop 0 | none
        waiting | login | save | unregistered linked, then register
        waiting | logout | save, tell depersonalized, linked done | unregistered, then register
        waiting | done | save, tell registration, tell installation | 2
        waiting | lost | tell failed | unregistered, then register
        waiting | refused | tell failed | unregistered paused, then register
        waiting | identity | tell failed | unregistered paused, then register
        waiting | failed | tell failed | unregistered paused, then register
        waiting | unanswered | tell failed | unregistered paused, then register
        waiting | late | - | unregistered, then register

        clean | await | done | 1 Ann
        clean | fetch | waits | 1 Ann, then fetch
        clean | fetchOwn | waits | 1 Ann, then fetchOwn
        clean | save | waits, save | 1 C dirty, then save
        clean | same | done | 1 Ann
        clean | saveOwn | waits, save | 1 Ann dirtyOwn, then saveOwn
        clean | personalize | waits | 1 Ann, then personalize
        clean | force | waits | 1 Ann, then personalize
        clean | depersonalize | waits, save | 1 leaving, then depersonalize
        clean | other | waits | 1 Ann, then other
        clean | token | save, tell token | 1 Ann, then saveOwn
        clean | noToken | save | 1 Ann
        clean | event | store 0, save | 1 Ann event, then events
        clean | expire | save | 1 Ann, then expire 0
        clean | forget | save, drop 0 | none
        clean | login | save | 1 leaving linked, then personalize clearing
        clean | logout | save | 1 leaving linked, then depersonalize
        clean | done | - | 1 Ann
        clean | lost | - | 1 Ann
        clean | refused | - | 1 Ann
        clean | identity | - | 1 Ann
        clean | failed | - | 1 Ann
        clean | unanswered | - | 1 Ann
        clean | late | - | 1 Ann

        dirty | await | done | 1 B dirty, then save
        dirty | fetch | waits | 1 B dirty, then save
        dirty | fetchOwn | waits | 1 B dirty, then save
        dirty | save | waits, save | 1 C dirty, then save
        dirty | same | waits, save | 1 Ann dirty, then save
        dirty | saveOwn | waits, save | 1 B dirty dirtyOwn, then saveOwn
        dirty | personalize | waits | 1 B dirty, then personalize
        dirty | force | waits | 1 B dirty, then save
        dirty | depersonalize | waits, save | 1 farewell leaving, then farewell
        dirty | other | waits | 1 B dirty, then save
        dirty | token | save, tell token | 1 B dirty, then saveOwn
        dirty | noToken | save | 1 B dirty, then save
        dirty | event | store 0, save | 1 B dirty event, then save
        dirty | expire | save | 1 B dirty, then save
        dirty | forget | save, drop 0 | none
        dirty | login | save | 1 farewell leaving linked, then farewell
        dirty | logout | save | 1 farewell leaving linked, then farewell
        dirty | done | save, tell user | 1 B
        dirty | lost | save, tell failed | unregistered B dirty restoring, then register
        dirty | refused | save, tell failed | 1 Ann doubt details, then fetch
        dirty | identity | save, tell failed | 1 B dirty doubt details, then fetch
        dirty | failed | tell failed | 1 B dirty paused, then save
        dirty | unanswered | tell failed | 1 B dirty paused, then save
        dirty | late | - | 1 B dirty, then save

        saving | await | done | 1 B dirty, now save
        saving | fetch | waits | 1 B dirty, now save
        saving | fetchOwn | waits | 1 B dirty, now save
        saving | save | waits, save | 1 C dirty, now save
        saving | same | waits, save | 1 Ann dirty, now save
        saving | saveOwn | waits, save | 1 B dirty dirtyOwn, now save
        saving | personalize | waits | 1 B dirty, now save
        saving | force | waits | 1 B dirty, now save
        saving | depersonalize | waits, save | 1 farewell leaving, now save
        saving | other | waits | 1 B dirty, now save
        saving | token | save, tell token | 1 B dirty, now save
        saving | noToken | save | 1 B dirty, now save
        saving | event | store 0, save | 1 B dirty event, now save
        saving | expire | save | 1 B dirty, now save
        saving | forget | save, drop 0 | none
        saving | login | save | 1 farewell leaving linked, now save
        saving | logout | save | 1 farewell leaving linked, now save
        saving | done | save, tell user | 1 B
        saving | lost | save, tell failed | unregistered B dirty restoring, then register
        saving | refused | save, tell failed | 1 Ann doubt details, then fetch
        saving | identity | save, tell failed | 1 B dirty doubt details, then fetch
        saving | failed | tell failed | 1 B dirty paused, then save
        saving | unanswered | tell failed | 1 B dirty paused, then save
        saving | late | - | 1 B dirty, now save

        dirtyOwn | await | done | 1 Ann dirtyOwn, then saveOwn
        dirtyOwn | fetch | waits | 1 Ann dirtyOwn, then saveOwn
        dirtyOwn | fetchOwn | waits | 1 Ann dirtyOwn, then saveOwn
        dirtyOwn | save | waits, save | 1 C dirty dirtyOwn, then saveOwn
        dirtyOwn | same | done | 1 Ann dirtyOwn, then saveOwn
        dirtyOwn | saveOwn | waits, save | 1 Ann dirtyOwn, then saveOwn
        dirtyOwn | personalize | waits | 1 Ann dirtyOwn, then personalize
        dirtyOwn | force | waits | 1 Ann dirtyOwn, then personalize
        dirtyOwn | depersonalize | waits, save | 1 leaving, then depersonalize
        dirtyOwn | other | waits | 1 Ann dirtyOwn, then saveOwn
        dirtyOwn | token | save, tell token | 1 Ann dirtyOwn, then saveOwn
        dirtyOwn | noToken | save | 1 Ann dirtyOwn, then saveOwn
        dirtyOwn | event | store 0, save | 1 Ann dirtyOwn event, then saveOwn
        dirtyOwn | expire | save | 1 Ann dirtyOwn, then saveOwn
        dirtyOwn | forget | save, drop 0 | none
        dirtyOwn | login | save | 1 leaving linked, then personalize clearing
        dirtyOwn | logout | save | 1 leaving linked, then depersonalize
        dirtyOwn | done | save, tell installation | 1 Ann
        dirtyOwn | lost | save, tell failed | unregistered Ann dirtyOwn restoring, then register
        dirtyOwn | refused | save, tell failed | 1 Ann doubtOwn, then fetchOwn
        dirtyOwn | identity | save, tell failed | 1 Ann doubtOwn, then fetchOwn
        dirtyOwn | failed | tell failed | 1 Ann dirtyOwn paused, then saveOwn
        dirtyOwn | unanswered | tell failed | 1 Ann dirtyOwn paused, then saveOwn
        dirtyOwn | late | - | 1 Ann dirtyOwn, then saveOwn

        pending | await | done | 1 leaving pending 1, then depersonalize
        pending | fetch | throws depersonalizationPending | 1 leaving pending 1, then depersonalize
        pending | fetchOwn | waits | 1 leaving pending 1, then depersonalize
        pending | save | throws depersonalizationPending | 1 leaving pending 1, then depersonalize
        pending | same | throws depersonalizationPending | 1 leaving pending 1, then depersonalize
        pending | saveOwn | waits, save | 1 dirtyOwn leaving pending 1, then depersonalize
        pending | personalize | waits | 1 leaving pending 1, then personalize clearing
        pending | force | waits | 1 leaving pending 1, then personalize clearing
        pending | depersonalize | waits, save | 1 leaving pending 1, then depersonalize
        pending | other | waits | 1 leaving pending 1, then depersonalize
        pending | token | save, tell token | 1 leaving pending 1, then depersonalize
        pending | noToken | save | 1 leaving pending 1, then depersonalize
        pending | event | store 0, save | 1 leaving pending 1 event, then depersonalize
        pending | expire | save | 1 leaving pending 1, then depersonalize
        pending | forget | save, drop 0 | none
        pending | login | save | 1 leaving pending 1 linked, then personalize clearing
        pending | logout | save | 1 leaving pending 1 linked, then depersonalize
        pending | done | save, tell depersonalized | 1 success 0
        pending | lost | save, tell failed, tell depersonalized | unregistered success 0, then register
        pending | refused | save, tell failed | 1 leaving pending 2 paused, then depersonalize
        pending | identity | save, tell failed | 1 leaving pending 2 paused, then depersonalize
        pending | failed | tell failed | 1 leaving pending 1 paused, then depersonalize
        pending | unanswered | tell failed | 1 leaving pending 1 paused, then depersonalize
        pending | late | - | 1 leaving pending 1, then depersonalize

        leaving | await | done | 1 farewell leaving, then farewell
        leaving | fetch | throws depersonalizationPending | 1 farewell leaving, then farewell
        leaving | fetchOwn | waits | 1 farewell leaving, then farewell
        leaving | save | throws depersonalizationPending | 1 farewell leaving, then farewell
        leaving | same | throws depersonalizationPending | 1 farewell leaving, then farewell
        leaving | saveOwn | waits, save | 1 dirtyOwn farewell leaving, then farewell
        leaving | personalize | waits | 1 farewell leaving, then farewell
        leaving | force | waits | 1 farewell leaving, then farewell
        leaving | depersonalize | waits, save | 1 farewell leaving, then farewell
        leaving | other | waits | 1 farewell leaving, then farewell
        leaving | token | save, tell token | 1 farewell leaving, then farewell
        leaving | noToken | save | 1 farewell leaving, then farewell
        leaving | event | store 0, save | 1 farewell leaving event, then farewell
        leaving | expire | save | 1 farewell leaving, then farewell
        leaving | forget | save, drop 0 | none
        leaving | login | save | 1 farewell leaving linked, then farewell
        leaving | logout | save | 1 farewell leaving linked, then farewell
        leaving | done | save | 1 leaving, then depersonalize
        leaving | lost | save, tell failed, drop changes 1, tell depersonalized | unregistered, then register
        leaving | refused | save, tell failed | 1 leaving, then depersonalize
        leaving | identity | save, tell failed | 1 leaving, then depersonalize
        leaving | failed | save, tell failed | 1 farewell leaving pending 0 paused, then farewell
        leaving | unanswered | save, tell failed | 1 farewell leaving pending 0 paused, then farewell
        leaving | late | - | 1 farewell leaving, then farewell

        lost | await | waits | unregistered Ann restoring, then register
        lost | fetch | waits | unregistered Ann restoring, then register
        lost | fetchOwn | waits | unregistered Ann restoring, then register
        lost | save | waits, save | unregistered C dirty restoring, then register
        lost | same | waits, save | unregistered Ann dirty restoring, then register
        lost | saveOwn | waits, save | unregistered Ann dirtyOwn restoring, then register
        lost | personalize | waits | unregistered Ann restoring, then register
        lost | force | waits | unregistered Ann restoring, then register
        lost | depersonalize | done, save, tell depersonalized | unregistered, then register
        lost | other | waits | unregistered Ann restoring, then register
        lost | token | save, tell token | unregistered Ann restoring, then register
        lost | noToken | save | none Ann restoring
        lost | event | store 0, save | unregistered Ann restoring event, then register
        lost | expire | save | unregistered Ann restoring, then register
        lost | forget | save, drop 0 | none
        lost | login | save, tell depersonalized | unregistered linked, then register
        lost | logout | save, tell depersonalized, linked done | unregistered, then register
        lost | done | save, tell registration, tell installation | 2 Ann restoring, then restore
        lost | lost | tell failed | unregistered Ann restoring, then register
        lost | refused | tell failed | unregistered Ann restoring paused, then register
        lost | identity | tell failed | unregistered Ann restoring paused, then register
        lost | failed | tell failed | unregistered Ann restoring paused, then register
        lost | unanswered | tell failed | unregistered Ann restoring paused, then register
        lost | late | - | unregistered Ann restoring, then register

        restoring | await | done | 1 Ann restoring, then restore
        restoring | fetch | waits | 1 Ann restoring, then restore
        restoring | fetchOwn | waits | 1 Ann restoring, then restore
        restoring | save | waits, save | 1 C dirty restoring, then restore
        restoring | same | waits, save | 1 Ann dirty restoring, then restore
        restoring | saveOwn | waits, save | 1 Ann dirtyOwn restoring, then restore
        restoring | personalize | waits | 1 Ann restoring, then restore
        restoring | force | waits | 1 Ann restoring, then restore
        restoring | depersonalize | waits, save | 1 leaving, then depersonalize
        restoring | other | waits | 1 Ann restoring, then restore
        restoring | token | save, tell token | 1 Ann restoring, then restore
        restoring | noToken | save | 1 Ann restoring, then restore
        restoring | event | store 0, save | 1 Ann restoring event, then restore
        restoring | expire | save | 1 Ann restoring, then restore
        restoring | forget | save, drop 0 | none
        restoring | login | save | 1 leaving linked, then personalize clearing
        restoring | logout | save | 1 leaving linked, then depersonalize
        restoring | done | save | 1 Ann recovering doubt details, then fetch
        restoring | lost | save, tell failed | unregistered Ann restoring, then register
        restoring | refused | save, tell failed | 1 Ann doubt details, then fetch
        restoring | identity | save, tell failed | 1 Ann doubt details, then fetch
        restoring | failed | tell failed | 1 Ann restoring paused, then restore
        restoring | unanswered | tell failed | 1 Ann restoring paused, then restore
        restoring | late | - | 1 Ann restoring, then restore

        recovering | await | done | 1 Ann recovering doubt details, then fetch
        recovering | fetch | waits | 1 Ann recovering doubt details, then fetch
        recovering | fetchOwn | waits | 1 Ann recovering doubt details, then fetch
        recovering | save | waits, save | 1 C dirty recovering doubt details, then fetch
        recovering | same | waits, save | 1 Ann dirty recovering doubt details, then fetch
        recovering | saveOwn | waits, save | 1 Ann dirtyOwn recovering doubt details, then fetch
        recovering | personalize | waits | 1 Ann recovering doubt details, then fetch
        recovering | force | waits | 1 Ann recovering doubt details, then fetch
        recovering | depersonalize | waits, save | 1 leaving, then depersonalize
        recovering | other | waits | 1 Ann recovering doubt details, then fetch
        recovering | token | save, tell token | 1 Ann recovering doubt details, then fetch
        recovering | noToken | save | 1 Ann recovering doubt details, then fetch
        recovering | event | store 0, save | 1 Ann recovering doubt details event, then fetch
        recovering | expire | save | 1 Ann recovering doubt details, then fetch
        recovering | forget | save, drop 0 | none
        recovering | login | save | 1 leaving linked, then personalize clearing
        recovering | logout | save | 1 leaving linked, then depersonalize
        recovering | done | save | 1 Ann
        recovering | lost | save, tell failed | unregistered Ann restoring, then register
        recovering | refused | tell failed | 1 Ann recovering doubt details paused, then fetch
        recovering | identity | tell failed | 1 Ann recovering doubt details paused, then fetch
        recovering | failed | tell failed | 1 Ann recovering doubt details paused, then fetch
        recovering | unanswered | tell failed | 1 Ann recovering doubt details paused, then fetch
        recovering | late | - | 1 Ann recovering doubt details, then fetch

        doubtful | await | done | 1 Ann doubt person, then fetch
        doubtful | fetch | waits | 1 Ann doubt person, then fetch
        doubtful | fetchOwn | waits | 1 Ann doubt person, then fetch
        doubtful | save | throws identityUndetermined | 1 Ann doubt person, then fetch
        doubtful | same | throws identityUndetermined | 1 Ann doubt person, then fetch
        doubtful | saveOwn | waits, save | 1 Ann dirtyOwn doubt person, then fetch
        doubtful | personalize | waits | 1 Ann doubt person, then personalize
        doubtful | force | waits | 1 Ann doubt person, then personalize
        doubtful | depersonalize | waits, save | 1 leaving, then depersonalize
        doubtful | other | waits | 1 Ann doubt person, then fetch
        doubtful | token | save, tell token | 1 Ann doubt person, then fetch
        doubtful | noToken | save | 1 Ann doubt person, then fetch
        doubtful | event | store 0, save | 1 Ann doubt person event, then fetch
        doubtful | expire | save | 1 Ann doubt person, then fetch
        doubtful | forget | save, drop 0 | none
        doubtful | login | save | 1 leaving linked, then personalize clearing
        doubtful | logout | save | 1 leaving linked, then depersonalize
        doubtful | done | save | 1 Ann doubtOwn, then fetchOwn
        doubtful | lost | save, tell failed | unregistered Ann restoring, then register
        doubtful | refused | tell failed | 1 Ann doubt person paused, then fetch
        doubtful | identity | tell failed | 1 Ann doubt person paused, then fetch
        doubtful | failed | tell failed | 1 Ann doubt person paused, then fetch
        doubtful | unanswered | tell failed | 1 Ann doubt person paused, then fetch
        doubtful | late | - | 1 Ann doubt person, then fetch

        following | await | done | 1 linked, then personalize
        following | fetch | waits | 1 linked, then personalize
        following | fetchOwn | waits | 1 linked, then personalize
        following | save | waits, save | 1 C dirty linked, then personalize
        following | same | waits, save | 1 Ann dirty linked, then personalize
        following | saveOwn | waits, save | 1 dirtyOwn linked, then personalize
        following | personalize | waits | 1 linked, then personalize
        following | force | waits | 1 linked, then personalize
        following | depersonalize | waits, save, linked superseded | 1 leaving, then depersonalize
        following | other | waits | 1 linked, then personalize
        following | token | save, tell token | 1 linked, then personalize
        following | noToken | save | 1 linked, then personalize
        following | event | store 0, save | 1 linked event, then personalize
        following | expire | save | 1 linked, then personalize
        following | forget | save, drop 0 | none
        following | login | save | 1 linked, then personalize
        following | logout | save | 1 leaving linked, then depersonalize
        following | done | save, linked done, tell personalized | 1 Ann
        following | lost | save, tell failed | unregistered linked, then register
        following | refused | save, tell failed, linked failed | 1
        following | identity | save, tell failed, linked failed | 1
        following | failed | save, tell failed | 1 linked paused, then personalize
        following | unanswered | tell failed | 1 doubt details linked paused, then personalize
        following | late | - | 1 linked, then personalize
        """
}
