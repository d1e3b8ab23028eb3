// SPDX-License-Identifier: Apache-2.0

extension TokenTable {
    /// Stages begin blocks; a line is an event, what is done about it ("-": nobody is answered), and the state after it,
    /// which says whether something is under way.
    static let text = """
        empty
        request            | asks absent, -                                       | fetching
        refusedPresent     | asks absent, -                                       | fetching
        refusedOlder       | asks absent, -                                       | fetching
        succeeded          | -                                                    | empty
        succeededOlder     | -                                                    | empty
        answeredToken      | -                                                    | empty
        answeredUnreadable | -                                                    | empty
        answeredNothing    | -                                                    | empty
        answeredLate       | -                                                    | empty
        woke               | -                                                    | empty
        wokeLate           | -                                                    | empty
        setToken           | sleeps 7140, -                                       | held new refresh
        setUnreadable      | tells payloadInvalid, sleeps 6, gives unreadable      | held unreadable retry
        setNothing         | refuses forgotten                                    | empty
        pause              | -                                                    | paused
        resume             | -                                                    | empty
        leave              | -                                                    | empty

        scheduled
        request            | gives old                                            | held old refresh
        refusedPresent     | tells signatureInvalid, asks rejected, -              | fetching
        refusedOlder       | gives old                                            | held old refresh
        succeeded          | -                                                    | held old refresh
        succeededOlder     | -                                                    | held old refresh
        answeredToken      | -                                                    | held old refresh
        answeredUnreadable | -                                                    | held old refresh
        answeredNothing    | -                                                    | held old refresh
        answeredLate       | -                                                    | held old refresh
        woke               | sleeps 3540, -                                       | held old refresh
        wokeLate           | -                                                    | held old refresh
        setToken           | sleeps 7140, -                                       | held new refresh
        setUnreadable      | tells payloadInvalid, sleeps 6, gives unreadable      | held unreadable retry
        setNothing         | refuses forgotten                                    | empty
        pause              | -                                                    | paused old
        resume             | -                                                    | held old refresh
        leave              | -                                                    | held old

        resting
        request            | sleeps 3540, gives old                               | held old refresh
        refusedPresent     | tells signatureInvalid, asks rejected, -              | fetching
        refusedOlder       | sleeps 3540, gives old                               | held old refresh
        succeeded          | -                                                    | held old
        succeededOlder     | -                                                    | held old
        answeredToken      | -                                                    | held old
        answeredUnreadable | -                                                    | held old
        answeredNothing    | -                                                    | held old
        answeredLate       | -                                                    | held old
        woke               | -                                                    | held old
        wokeLate           | -                                                    | held old
        setToken           | sleeps 7140, -                                       | held new refresh
        setUnreadable      | tells payloadInvalid, sleeps 6, gives unreadable      | held unreadable retry
        setNothing         | refuses forgotten                                    | empty
        pause              | -                                                    | paused old
        resume             | -                                                    | held old
        leave              | -                                                    | held old

        due
        request            | asks expiring, -                                     | fetching old
        refusedPresent     | tells signatureInvalid, asks rejected, -              | fetching
        refusedOlder       | asks expiring, -                                     | fetching old
        succeeded          | -                                                    | held old refresh
        succeededOlder     | -                                                    | held old refresh
        answeredToken      | -                                                    | held old refresh
        answeredUnreadable | -                                                    | held old refresh
        answeredNothing    | -                                                    | held old refresh
        answeredLate       | -                                                    | held old refresh
        woke               | asks expiring, -                                     | fetching old
        wokeLate           | -                                                    | held old refresh
        setToken           | sleeps 3600, -                                       | held new refresh
        setUnreadable      | tells payloadInvalid, sleeps 6, gives unreadable      | held unreadable retry
        setNothing         | refuses forgotten                                    | empty
        pause              | -                                                    | paused old
        resume             | -                                                    | held old refresh
        leave              | -                                                    | held old

        expired
        request            | asks expiring, -                                     | fetching
        refusedPresent     | tells signatureInvalid, asks rejected, -              | fetching
        refusedOlder       | asks expiring, -                                     | fetching
        succeeded          | -                                                    | held old refresh
        succeededOlder     | -                                                    | held old refresh
        answeredToken      | -                                                    | held old refresh
        answeredUnreadable | -                                                    | held old refresh
        answeredNothing    | -                                                    | held old refresh
        answeredLate       | -                                                    | held old refresh
        woke               | asks expiring, -                                     | fetching old
        wokeLate           | -                                                    | held old refresh
        setToken           | sleeps 3540, -                                       | held new refresh
        setUnreadable      | tells payloadInvalid, sleeps 6, gives unreadable      | held unreadable retry
        setNothing         | refuses forgotten                                    | empty
        pause              | -                                                    | paused old
        resume             | -                                                    | held old refresh
        leave              | -                                                    | held old

        wornOut
        request            | gives old                                            | held old
        refusedPresent     | tells signatureInvalid for good, refuses exhausted      | exhausted
        refusedOlder       | gives old                                            | held old
        succeeded          | -                                                    | held old
        succeededOlder     | -                                                    | held old
        answeredToken      | -                                                    | held old
        answeredUnreadable | -                                                    | held old
        answeredNothing    | -                                                    | held old
        answeredLate       | -                                                    | held old
        woke               | -                                                    | held old
        wokeLate           | -                                                    | held old
        setToken           | sleeps 3600, -                                       | held new refresh
        setUnreadable      | tells payloadInvalid, sleeps 6, gives unreadable      | held unreadable retry
        setNothing         | refuses forgotten                                    | empty
        pause              | -                                                    | paused old
        resume             | -                                                    | held old
        leave              | -                                                    | held old

        doubting
        request            | gives unreadable                                     | held unreadable retry
        refusedPresent     | tells signatureInvalid, sleeps 6, -                  | retrying
        refusedOlder       | gives unreadable                                     | held unreadable retry
        succeeded          | -                                                    | held unreadable
        succeededOlder     | -                                                    | held unreadable retry
        answeredToken      | -                                                    | held unreadable retry
        answeredUnreadable | -                                                    | held unreadable retry
        answeredNothing    | -                                                    | held unreadable retry
        answeredLate       | -                                                    | held unreadable retry
        woke               | asks absent, -                                       | fetching unreadable
        wokeLate           | -                                                    | held unreadable retry
        setToken           | sleeps 7140, -                                       | held new refresh
        setUnreadable      | tells payloadInvalid, sleeps 6, gives unreadable      | held unreadable retry
        setNothing         | refuses forgotten                                    | empty
        pause              | -                                                    | paused unreadable
        resume             | -                                                    | held unreadable retry
        leave              | -                                                    | held unreadable

        fetching
        request            | -                                                    | fetching
        refusedPresent     | -                                                    | fetching
        refusedOlder       | -                                                    | fetching
        succeeded          | -                                                    | fetching
        succeededOlder     | -                                                    | fetching
        answeredToken      | sleeps 7140, gives new                               | held new refresh
        answeredUnreadable | tells payloadInvalid, sleeps 6, gives unreadable      | held unreadable retry
        answeredNothing    | tells noToken, sleeps 6, -                           | retrying
        answeredLate       | -                                                    | fetching
        woke               | -                                                    | fetching
        wokeLate           | -                                                    | fetching
        setToken           | sleeps 7140, gives new                               | held new refresh
        setUnreadable      | tells payloadInvalid, sleeps 6, gives unreadable      | held unreadable retry
        setNothing         | refuses forgotten                                    | empty
        pause              | refuses paused                                       | paused
        resume             | -                                                    | fetching
        leave              | -                                                    | empty

        refreshing
        request            | -                                                    | fetching old
        refusedPresent     | tells signatureInvalid, -                            | fetching
        refusedOlder       | -                                                    | fetching old
        succeeded          | -                                                    | fetching old
        succeededOlder     | -                                                    | fetching old
        answeredToken      | sleeps 3600, gives new                               | held new refresh
        answeredUnreadable | tells payloadInvalid, sleeps 6, gives unreadable      | held unreadable retry
        answeredNothing    | tells noToken, sleeps 6, gives old                   | held old retry
        answeredLate       | -                                                    | fetching old
        woke               | -                                                    | fetching old
        wokeLate           | -                                                    | fetching old
        setToken           | sleeps 3600, gives new                               | held new refresh
        setUnreadable      | tells payloadInvalid, sleeps 6, gives unreadable      | held unreadable retry
        setNothing         | refuses forgotten                                    | empty
        pause              | gives old                                            | paused old
        resume             | -                                                    | fetching old
        leave              | -                                                    | held old

        retrying
        request            | -                                                    | retrying
        refusedPresent     | -                                                    | retrying
        refusedOlder       | -                                                    | retrying
        succeeded          | -                                                    | retrying
        succeededOlder     | -                                                    | retrying
        answeredToken      | -                                                    | retrying
        answeredUnreadable | -                                                    | retrying
        answeredNothing    | -                                                    | retrying
        answeredLate       | -                                                    | retrying
        woke               | asks absent, -                                       | fetching
        wokeLate           | -                                                    | retrying
        setToken           | sleeps 7140, gives new                               | held new refresh
        setUnreadable      | tells payloadInvalid, sleeps 6, gives unreadable      | held unreadable retry
        setNothing         | refuses forgotten                                    | empty
        pause              | refuses paused                                       | paused
        resume             | -                                                    | retrying
        leave              | -                                                    | empty

        exhausted
        request            | refuses exhausted                                    | exhausted
        refusedPresent     | refuses exhausted                                    | exhausted
        refusedOlder       | refuses exhausted                                    | exhausted
        succeeded          | -                                                    | exhausted
        succeededOlder     | -                                                    | exhausted
        answeredToken      | -                                                    | exhausted
        answeredUnreadable | -                                                    | exhausted
        answeredNothing    | -                                                    | exhausted
        answeredLate       | -                                                    | exhausted
        woke               | -                                                    | exhausted
        wokeLate           | -                                                    | exhausted
        setToken           | sleeps 7140, -                                       | held new refresh
        setUnreadable      | tells payloadInvalid, sleeps 6, gives unreadable      | held unreadable retry
        setNothing         | refuses forgotten                                    | empty
        pause              | -                                                    | paused
        resume             | -                                                    | empty
        leave              | -                                                    | exhausted

        paused
        request            | refuses paused                                       | paused
        refusedPresent     | refuses paused                                       | paused
        refusedOlder       | refuses paused                                       | paused
        succeeded          | -                                                    | paused
        succeededOlder     | -                                                    | paused
        answeredToken      | -                                                    | paused
        answeredUnreadable | -                                                    | paused
        answeredNothing    | -                                                    | paused
        answeredLate       | -                                                    | paused
        woke               | -                                                    | paused
        wokeLate           | -                                                    | paused
        setToken           | sleeps 7140, -                                       | held new refresh
        setUnreadable      | tells payloadInvalid, sleeps 6, gives unreadable      | held unreadable retry
        setNothing         | refuses forgotten                                    | empty
        pause              | -                                                    | paused
        resume             | -                                                    | empty
        leave              | -                                                    | paused

        pausedHolding
        request            | gives old                                            | paused old
        refusedPresent     | tells signatureInvalid for good, refuses paused      | paused
        refusedOlder       | gives old                                            | paused old
        succeeded          | -                                                    | paused old
        succeededOlder     | -                                                    | paused old
        answeredToken      | -                                                    | paused old
        answeredUnreadable | -                                                    | paused old
        answeredNothing    | -                                                    | paused old
        answeredLate       | -                                                    | paused old
        woke               | -                                                    | paused old
        wokeLate           | -                                                    | paused old
        setToken           | sleeps 7140, -                                       | held new refresh
        setUnreadable      | tells payloadInvalid, sleeps 6, gives unreadable      | held unreadable retry
        setNothing         | refuses forgotten                                    | empty
        pause              | -                                                    | paused old
        resume             | sleeps 3540, -                                       | held old refresh
        leave              | -                                                    | paused old
        """
}
