// SPDX-License-Identifier: Apache-2.0

/// What becomes of a visitor: stage, what happens, what is done about it, state and what is next.
enum IterableMachineTable {
    static let rows = """
        off | agree | save, again | off
        off | revoke | - | off
        off | launch | - | off
        off | track | - | off
        off | update | - | off
        off | token | save | off
        off | matched | - | off
        off | identify | save, again | resolving userId, then token of userId
        off | identifyAlone | save, again | resolving userId, then token of userId
        off | logout | - | off
        off | email | - | off
        off | forget | save, again, forget token | off
        off | identifySame | save, again | resolving userId, then token of userId
        off | allow | save | off
        off | out | - | off
        off | done | - | off
        off | conflict | - | off
        off | refused | - | off
        off | failed | - | off
        off | noToken | - | off
        off | givenUp | - | off
        off | late | - | off

        noConsent | agree | save, again, fetch beginning | visitor
        noConsent | revoke | - | noConsent
        noConsent | launch | - | noConsent
        noConsent | track | - | noConsent
        noConsent | update | - | noConsent
        noConsent | token | save | noConsent
        noConsent | matched | - | noConsent
        noConsent | identify | save, again | resolving userId, then token of userId
        noConsent | identifyAlone | save, again | resolving userId, then token of userId
        noConsent | logout | - | noConsent
        noConsent | email | - | noConsent
        noConsent | forget | save, again, forget token | noConsent
        noConsent | identifySame | save, again | resolving userId, then token of userId
        noConsent | allow | save | noConsent
        noConsent | out | - | noConsent
        noConsent | done | - | noConsent
        noConsent | conflict | - | noConsent
        noConsent | refused | - | noConsent
        noConsent | failed | - | noConsent
        noConsent | noToken | - | noConsent
        noConsent | givenUp | - | noConsent
        noConsent | late | - | noConsent

        visitor | agree | - | visitor
        visitor | revoke | save, remove 0+1, drop 2 consentRevoked, again, forget token | noConsent
        visitor | launch | save, fetch beginning | visitor
        visitor | track | store 2, evaluate | visitor
        visitor | update | store 1, evaluate | visitor
        visitor | token | save | visitor
        visitor | matched | save | activating, then activate
        visitor | identify | save, again | resolving userId, then token of userId
        visitor | identifyAlone | save, remove 0+1, drop 2 notReplayed, again | resolving userId, then token of userId
        visitor | logout | - | visitor
        visitor | email | - | visitor
        visitor | forget | save, remove 0+1, drop 2 forgotten, again, forget token | noConsent
        visitor | identifySame | save, again | resolving userId, then token of userId
        visitor | allow | save | visitor
        visitor | out | save, remove 0+1, drop 2 optedOut, again | visitor
        visitor | done | - | visitor
        visitor | conflict | - | visitor
        visitor | refused | - | visitor
        visitor | failed | - | visitor
        visitor | noToken | - | visitor
        visitor | givenUp | - | visitor
        visitor | late | - | visitor

        activating | agree | - | activating, then activate
        activating | revoke | save, remove 0+1, drop 2 consentRevoked, again, forget token | noConsent
        activating | launch | save, fetch beginning | activating, then activate
        activating | track | store 2, evaluate | activating, then activate
        activating | update | store 1, evaluate | activating, then activate
        activating | token | save | activating, then activate
        activating | matched | - | activating, then activate
        activating | identify | save, again | resolving userId, then token of userId
        activating | identifyAlone | save, remove 0+1, drop 2 notReplayed, again | resolving userId, then token of userId
        activating | logout | - | activating, then activate
        activating | email | - | activating, then activate
        activating | forget | save, remove 0+1, drop 2 forgotten, again, forget token | noConsent
        activating | identifySame | save, again | resolving userId, then token of userId
        activating | allow | save | activating, then activate
        activating | out | save, remove 0+1, drop 2 optedOut, again | visitor
        activating | done | save, again | replaying, then announce
        activating | conflict | save, fetch conflict | visitor
        activating | refused | save, tell activationFailed | visitor, then match
        activating | failed | postpone | activating, then activate
        activating | noToken | postpone | activating, then activate
        activating | givenUp | postpone | activating, then activate
        activating | late | - | activating, then activate

        replaying | agree | - | replaying, then announce
        replaying | revoke | save, remove 0+1, drop 2 consentRevoked, again, forget token | noConsent
        replaying | launch | - | replaying, then announce
        replaying | track | store 2 | replaying, then announce
        replaying | update | store 2 | replaying, then announce
        replaying | token | save | replaying, then announce
        replaying | matched | - | replaying, then announce
        replaying | identify | save, again | resolving userId, then token of userId
        replaying | identifyAlone | save, again | resolving userId, then announce
        replaying | logout | save, again, fetch beginning | visitor, then announce
        replaying | email | - | replaying, then announce
        replaying | forget | save, remove 0+1, drop 2 forgotten, again, forget token | noConsent
        replaying | identifySame | save | resolving userId, then announce
        replaying | allow | save | replaying, then announce
        replaying | out | save, remove 0+1, drop 2 optedOut, again | replaying
        replaying | done | tell created, save | replaying, then token of userId
        replaying | conflict | save | replaying, then token of userId
        replaying | refused | save | replaying, then token of userId
        replaying | failed | postpone | replaying, then announce
        replaying | noToken | postpone | replaying, then announce
        replaying | givenUp | postpone | replaying, then announce
        replaying | late | - | replaying, then announce

        unknown | agree | - | unknown
        unknown | revoke | save, again, forget token | noConsent
        unknown | launch | - | unknown
        unknown | track | store 2 | replaying, then send 2 as userId
        unknown | update | store 2 | replaying, then send 2 as userId
        unknown | token | save | replaying, then register
        unknown | matched | - | unknown
        unknown | identify | save, again | resolving userId, then token of userId
        unknown | identifyAlone | save, again | resolving userId, then token of userId
        unknown | logout | save, again, forget token, fetch beginning | visitor
        unknown | email | - | unknown
        unknown | forget | save, again, forget token | noConsent
        unknown | identifySame | save, tell resolved | known userId
        unknown | allow | save | unknown
        unknown | out | - | unknown
        unknown | done | - | unknown
        unknown | conflict | - | unknown
        unknown | refused | - | unknown
        unknown | failed | - | unknown
        unknown | noToken | - | unknown
        unknown | givenUp | - | unknown
        unknown | late | - | unknown

        resolving | agree | - | resolving email, then token of email
        resolving | revoke | save, remove 0+1, drop 2 consentRevoked, again | resolving email, then token of email
        resolving | launch | - | resolving email, then token of email
        resolving | track | store 2 | resolving email, then token of email
        resolving | update | store 2 | resolving email, then token of email
        resolving | token | save | resolving email, then token of email
        resolving | matched | - | resolving email, then token of email
        resolving | identify | save, again | resolving userId, then token of email
        resolving | identifyAlone | save, again | resolving userId, then token of email
        resolving | logout | save, again, fetch beginning | visitor, then token of email
        resolving | email | save | resolving email, then token of email
        resolving | forget | save, remove 0+1, drop 2 forgotten, again, forget token | noConsent
        resolving | identifySame | save, again | resolving userId, then token of email
        resolving | allow | save | resolving email, then token of email
        resolving | out | save, remove 0+1, drop 2 optedOut, again | resolving email
        resolving | done | save | resolving email, then consent of email
        resolving | conflict | save | resolving email, then consent of email
        resolving | refused | save | resolving email, then consent of email
        resolving | failed | postpone | resolving email, then token of email
        resolving | noToken | postpone | resolving email, then token of email
        resolving | givenUp | postpone | resolving email, then token of email
        resolving | late | - | resolving email, then token of email

        merging | agree | - | resolving email, then merge into email
        merging | revoke | save, again | known email
        merging | launch | - | resolving email, then merge into email
        merging | track | store 2 | resolving email, then merge into email
        merging | update | store 2 | resolving email, then merge into email
        merging | token | save | resolving email, then merge into email
        merging | matched | - | resolving email, then merge into email
        merging | identify | save, again | resolving userId, then merge into email
        merging | identifyAlone | save, again | resolving userId, then merge into email
        merging | logout | save, again, fetch beginning | visitor, then merge into email
        merging | email | save | resolving email, then merge into email
        merging | forget | save, again, forget token | noConsent
        merging | identifySame | save, again | resolving userId, then merge into email
        merging | allow | save | resolving email, then merge into email
        merging | out | - | resolving email
        merging | done | save, tell merged, tell resolved | known email
        merging | conflict | save, tell mergeFailed, tell resolved | known email
        merging | refused | save, tell mergeFailed, tell resolved | known email
        merging | failed | postpone | resolving email, then merge into email
        merging | noToken | postpone | resolving email, then merge into email
        merging | givenUp | postpone | resolving email, then merge into email
        merging | late | - | resolving email, then merge into email

        known | agree | save, again | known email
        known | revoke | - | known email
        known | launch | - | known email
        known | track | store 0 | resolving email, then send 0 as email
        known | update | store 0 | resolving email, then send 0 as email
        known | token | save | resolving email, then register
        known | matched | - | known email
        known | identify | save, again | resolving userId, then token of userId
        known | identifyAlone | save, again | resolving userId, then token of userId
        known | logout | save, again, forget token | noConsent
        known | email | save | resolving email, then changeEmail
        known | forget | save, again, forget token | noConsent
        known | identifySame | save, again | resolving userId, then token of userId
        known | allow | save | known email
        known | out | - | known email
        known | done | - | known email
        known | conflict | - | known email
        known | refused | - | known email
        known | failed | - | known email
        known | noToken | - | known email
        known | givenUp | - | known email
        known | late | - | known email

        leaving | agree | save, again, fetch beginning | visitor, then send 0 as email
        leaving | revoke | - | noConsent, then send 0 as email
        leaving | launch | - | noConsent, then send 0 as email
        leaving | track | - | noConsent, then send 0 as email
        leaving | update | - | noConsent, then send 0 as email
        leaving | token | save | noConsent, then send 0 as email
        leaving | matched | - | noConsent, then send 0 as email
        leaving | identify | save, again | resolving userId, then send 0 as email
        leaving | identifyAlone | save, again | resolving userId, then send 0 as email
        leaving | logout | - | noConsent, then send 0 as email
        leaving | email | - | noConsent, then send 0 as email
        leaving | forget | save, remove 0, drop 1 forgotten, again, forget token | noConsent
        leaving | identifySame | save, again | resolving userId, then send 0 as email
        leaving | allow | save | noConsent, then send 0 as email
        leaving | out | save, remove 0, drop 1 optedOut, again | noConsent
        leaving | done | remove 0, sent, save, forget token | noConsent
        leaving | conflict | remove 0, tell refused customEvent("e"), save, forget token | noConsent
        leaving | refused | remove 0, tell refused customEvent("e"), save, forget token | noConsent
        leaving | failed | postpone | noConsent, then send 0 as email
        leaving | noToken | postpone | noConsent, then send 0 as email
        leaving | givenUp | save, remove 0, drop 1 noToken, tell abandoned, forget token | noConsent
        leaving | late | - | noConsent, then send 0 as email

        registered | agree | - | unknown
        registered | revoke | save, again, forget token | noConsent, then disable
        registered | launch | - | unknown
        registered | track | store 2 | replaying, then send 2 as userId
        registered | update | store 2 | replaying, then send 2 as userId
        registered | token | save | replaying, then register
        registered | matched | - | unknown
        registered | identify | save, again | resolving userId, then token of userId
        registered | identifyAlone | save, again | resolving userId, then disable
        registered | logout | save, again, fetch beginning | visitor, then disable
        registered | email | - | unknown
        registered | forget | save, again, forget token | noConsent
        registered | identifySame | save, tell resolved | known userId
        registered | allow | save | replaying, then register
        registered | out | - | unknown
        registered | done | - | unknown
        registered | conflict | - | unknown
        registered | refused | - | unknown
        registered | failed | - | unknown
        registered | noToken | - | unknown
        registered | givenUp | - | unknown
        registered | late | - | unknown

        handing | agree | - | resolving email, then merge into email
        handing | revoke | save, again | resolving email, then disable of unknown
        handing | launch | - | resolving email, then merge into email
        handing | track | store 2 | resolving email, then merge into email
        handing | update | store 2 | resolving email, then merge into email
        handing | token | save | resolving email, then merge into email
        handing | matched | - | resolving email, then merge into email
        handing | identify | save, again | resolving userId, then merge into email
        handing | identifyAlone | save, again | resolving userId, then merge into email
        handing | logout | save, again, fetch beginning | visitor, then merge into email
        handing | email | save | resolving email, then merge into email
        handing | forget | save, again, forget token | noConsent
        handing | identifySame | save, again | resolving userId, then merge into email
        handing | allow | save | resolving email, then merge into email
        handing | out | - | resolving email
        handing | done | save, tell merged | resolving email, then register
        handing | conflict | save, tell mergeFailed | resolving email, then register
        handing | refused | save, tell mergeFailed | resolving email, then register
        handing | failed | postpone | resolving email, then merge into email
        handing | noToken | postpone | resolving email, then merge into email
        handing | givenUp | postpone | resolving email, then merge into email
        handing | late | - | resolving email, then merge into email
        """
}
