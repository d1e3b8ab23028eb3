// SPDX-License-Identifier: Apache-2.0

/// Stage, event, what is done, the state then, and the next request.
enum InfobipTable {
    static let rows = """
        new | save | waits, save | none: [edit A] known 0 | register
        new | event | store, save | none: [event] known 0 | register
        new | fetch | waits | none: [nobody] known 0 | register
        new | personalize | waits, save | none: [attach bob] known 0 | register
        new | force | waits, save | none: [nobody; force carl] known 0 | register
        new | depersonalize | done, save, tell depersonalized | none: [nobody] known 0 | register
        new | done | save, tell registration, tell installation | 2: [nobody] known 0 | -
        new | unsent | tell failed | none: [nobody] known 0 | register
        new | unanswered | tell failed | none: [nobody] known 0 | register
        new | refused | tell failed | none: [nobody] known 0 | register
        new | gone | save, tell failed | lost: [nobody] known 0 | register
        nobody | save | waits, save | 1: [edit A] known 0 | save A
        nobody | event | store, save | 1: [event] known 0 | events 1
        nobody | fetch | waits | 1: [nobody] known 0 | fetch
        nobody | personalize | waits, save | 1: [attach bob] known 0 | attach bob
        nobody | force | waits, save | 1: [nobody; force carl] known 0 | force carl
        nobody | depersonalize | waits, save | 1: [nobody; detach] known 0 | detach
        nobody | done | - | 1: [nobody] known 0 | -
        nobody | unsent | - | 1: [nobody] known 0 | -
        nobody | unanswered | - | 1: [nobody] known 0 | -
        nobody | refused | - | 1: [nobody] known 0 | -
        nobody | gone | - | 1: [nobody] known 0 | -
        ann | save | waits, save | 1: [ann edit A] known 0 | save A
        ann | event | store, save | 1: [ann event] known 0 | events 1
        ann | fetch | waits | 1: [ann] known 0 | fetch
        ann | personalize | throws rejected | 1: [ann] known 0 | -
        ann | force | waits, save | 1: [ann; force carl] known 0 | force carl
        ann | depersonalize | waits, save | 1: [ann; detach] known 0 | detach
        ann | done | - | 1: [ann] known 0 | -
        ann | unsent | - | 1: [ann] known 0 | -
        ann | unanswered | - | 1: [ann] known 0 | -
        ann | refused | - | 1: [ann] known 0 | -
        ann | gone | - | 1: [ann] known 0 | -
        attaching | save | pending, save | 1: [attach bob edit A] moving to 0 | attach bob
        attaching | event | store, save | 1: [attach bob event] moving to 0 | attach bob
        attaching | fetch | waits | 1: [attach bob] moving to 0 | attach bob
        attaching | personalize | waits, save | 1: [attach bob] moving to 0 | attach bob
        attaching | force | waits, save | 1: [attach bob; force carl] moving to 0 | force carl
        attaching | depersonalize | waits, save | 1: [attach bob; detach] moving to 0 | detach
        attaching | done | save, tell personalized | 1: [bob] known 0 | -
        attaching | unsent | tell failed | 1: [attach bob] moving to 0 | attach bob
        attaching | unanswered | tell failed | 1: [attach bob] moving to 0 | attach bob
        attaching | refused | save, tell failed | 1: [detach] moving to 0 | detach
        attaching | gone | save, tell failed | lost: [attach bob] known 0 | register
        leaving | save | pending, save | 1: [ann; detach edit A] known 0 | detach
        leaving | event | store, save | 1: [ann; detach event] known 0 | detach
        leaving | fetch | throws depersonalizationPending | 1: [ann; detach] known 0 | detach
        leaving | personalize | waits, save | 1: [ann; detach attach bob] known 0 | detach
        leaving | force | waits, save | 1: [ann; detach; force carl] known 0 | force carl
        leaving | depersonalize | waits, save | 1: [ann; detach] known 0 | detach
        leaving | done | save, tell depersonalized | 1: [nobody] known 0 | -
        leaving | unsent | save, tell failed | 1: [ann; detach] known 0 | detach
        leaving | unanswered | save, tell failed | 1: [ann; detach] moving to 1 | detach
        leaving | refused | save, tell failed | 1: [ann; detach] moving to 1 | detach
        leaving | gone | save, tell failed | lost: [ann; detach] moving to 1 | register
        forcing | save | pending, save | 1: [ann; force bob edit A] known 0 | force bob
        forcing | event | store, save | 1: [ann; force bob event] known 0 | force bob
        forcing | fetch | throws depersonalizationPending | 1: [ann; force bob] known 0 | force bob
        forcing | personalize | waits, save | 1: [ann; force bob attach bob] known 0 | force bob
        forcing | force | waits, save | 1: [ann; detach; force carl] known 0 | force carl
        forcing | depersonalize | waits, save | 1: [ann; detach; detach] known 0 | detach
        forcing | done | save, tell depersonalized, tell personalized | 1: [bob] known 0 | -
        forcing | unsent | save, tell failed | 1: [ann; force bob] known 0 | force bob
        forcing | unanswered | save, tell failed | 1: [ann; force bob] moving to 1 | force bob
        forcing | refused | save, tell failed | 1: [ann] known 0 | -
        forcing | gone | save, tell failed | lost: [ann; force bob] moving to 1 | register
        left | save | pending, save | 1: [ann; detach edit A] moving to 1 | detach
        left | event | store, save | 1: [ann; detach event] moving to 1 | detach
        left | fetch | throws depersonalizationPending | 1: [ann; detach] moving to 1 | detach
        left | personalize | waits, save | 1: [ann; detach attach bob] moving to 1 | detach
        left | force | waits, save | 1: [detach; force carl] moving to 0 | force carl
        left | depersonalize | waits, save | 1: [ann; detach] moving to 1 | detach
        left | done | save, tell depersonalized | 1: [nobody] known 0 | -
        left | unsent | tell failed | 1: [ann; detach] moving to 1 | detach
        left | unanswered | tell failed | 1: [ann; detach] moving to 1 | detach
        left | refused | tell failed | 1: [ann; detach] moving to 1 | detach
        left | gone | save, tell failed | lost: [ann; detach] moving to 1 | register
        forced | save | pending, save | 1: [ann; force bob edit A] moving to 1 | force bob
        forced | event | store, save | 1: [ann; force bob event] moving to 1 | force bob
        forced | fetch | throws depersonalizationPending | 1: [ann; force bob] moving to 1 | force bob
        forced | personalize | waits, save | 1: [ann; force bob attach bob] moving to 1 | force bob
        forced | force | waits, save | 1: [force bob; force carl] moving to 0 | force carl
        forced | depersonalize | waits, save | 1: [force bob; detach] moving to 0 | detach
        forced | done | save, tell depersonalized, tell personalized | 1: [bob] known 0 | -
        forced | unsent | tell failed | 1: [ann; force bob] moving to 1 | force bob
        forced | unanswered | tell failed | 1: [ann; force bob] moving to 1 | force bob
        forced | refused | save, tell failed | 1: [ann; detach] moving to 1 | detach
        forced | gone | save, tell failed | lost: [ann; force bob] moving to 1 | register
        lost | save | pending, save | lost: [ann attach ann edit A] moving to 0 | register
        lost | event | store, save | lost: [ann attach ann event] moving to 0 | register
        lost | fetch | waits | lost: [ann attach ann] moving to 0 | register
        lost | personalize | throws rejected | lost: [ann attach ann] moving to 0 | register
        lost | force | waits, save | lost: [ann attach ann; force carl] moving to 0 | register
        lost | depersonalize | waits, save | lost: [ann attach ann; detach] moving to 0 | register
        lost | done | save, tell registration, tell installation | 2: [ann attach ann] moving to 0 | attach ann
        lost | unsent | tell failed | lost: [ann attach ann] moving to 0 | register
        lost | unanswered | tell failed | lost: [ann attach ann] moving to 0 | register
        lost | refused | tell failed | lost: [ann attach ann] moving to 0 | register
        lost | gone | tell failed | lost: [ann attach ann] moving to 0 | register
        lostLeaving | save | pending, save | lost: [ann; detach edit A] moving to 1 | register
        lostLeaving | event | store, save | lost: [ann; detach event] moving to 1 | register
        lostLeaving | fetch | throws depersonalizationPending | lost: [ann; detach] moving to 1 | register
        lostLeaving | personalize | waits, save | lost: [ann; detach attach bob] moving to 1 | register
        lostLeaving | force | waits, save | lost: [detach; force carl] moving to 0 | register
        lostLeaving | depersonalize | waits, save | lost: [ann; detach] moving to 1 | register
        lostLeaving | done | save, tell registration, tell installation | 2: [ann; detach] moving to 1 | detach
        lostLeaving | unsent | tell failed | lost: [ann; detach] moving to 1 | register
        lostLeaving | unanswered | tell failed | lost: [ann; detach] moving to 1 | register
        lostLeaving | refused | tell failed | lost: [ann; detach] moving to 1 | register
        lostLeaving | gone | tell failed | lost: [ann; detach] moving to 1 | register
        """
}
