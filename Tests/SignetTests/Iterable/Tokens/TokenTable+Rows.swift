// SPDX-License-Identifier: Apache-2.0

extension TokenTable {
    /// Stages begin blocks; a line is an event, what is done about it ("off": what was under way is called off; "-": nobody
    /// is answered), and the state after it.
    static let text = """
        empty
        request            | off, asks absent, -                                  | fetching
        refusedPresent     | off, asks absent, -                                  | fetching
        refusedOlder       | off, asks absent, -                                  | fetching
        succeeded          | -                                                    | empty
        succeededOlder     | -                                                    | empty
        answeredToken      | -                                                    | empty
        answeredUnreadable | -                                                    | empty
        answeredNothing    | -                                                    | empty
        answeredLate       | -                                                    | empty
        woke               | -                                                    | empty
        wokeLate           | -                                                    | empty
        setToken           | off, sleeps 7140, -                                  | held new refresh
        setUnreadable      | tells payloadInvalid, off, sleeps 6, gives unreadable | held unreadable retry
        setNothing         | off, refuses forgotten                               | empty
        pause              | -                                                    | paused
        resume             | -                                                    | empty
        leave              | -                                                    | empty

        scheduled
        request            | gives old                                            | held old refresh
        refusedPresent     | tells signatureInvalid, off, asks rejected, -         | fetching
        refusedOlder       | gives old                                            | held old refresh
        succeeded          | -                                                    | held old refresh
        succeededOlder     | -                                                    | held old refresh
        answeredToken      | -                                                    | held old refresh
        answeredUnreadable | -                                                    | held old refresh
        answeredNothing    | -                                                    | held old refresh
        answeredLate       | -                                                    | held old refresh
        woke               | off, sleeps 3540, -                                  | held old refresh
        wokeLate           | -                                                    | held old refresh
        setToken           | off, sleeps 7140, -                                  | held new refresh
        setUnreadable      | tells payloadInvalid, off, sleeps 6, gives unreadable | held unreadable retry
        setNothing         | off, refuses forgotten                               | empty
        pause              | off, -                                               | paused old
        resume             | -                                                    | held old refresh
        leave              | off, -                                               | held old

        resting
        request            | off, sleeps 3540, gives old                          | held old refresh
        refusedPresent     | tells signatureInvalid, off, asks rejected, -         | fetching
        refusedOlder       | off, sleeps 3540, gives old                          | held old refresh
        succeeded          | -                                                    | held old
        succeededOlder     | -                                                    | held old
        answeredToken      | -                                                    | held old
        answeredUnreadable | -                                                    | held old
        answeredNothing    | -                                                    | held old
        answeredLate       | -                                                    | held old
        woke               | -                                                    | held old
        wokeLate           | -                                                    | held old
        setToken           | off, sleeps 7140, -                                  | held new refresh
        setUnreadable      | tells payloadInvalid, off, sleeps 6, gives unreadable | held unreadable retry
        setNothing         | off, refuses forgotten                               | empty
        pause              | off, -                                               | paused old
        resume             | -                                                    | held old
        leave              | off, -                                               | held old

        due
        request            | off, asks expiring, -                                | fetching old
        refusedPresent     | tells signatureInvalid, off, asks rejected, -         | fetching
        refusedOlder       | off, asks expiring, -                                | fetching old
        succeeded          | -                                                    | held old refresh
        succeededOlder     | -                                                    | held old refresh
        answeredToken      | -                                                    | held old refresh
        answeredUnreadable | -                                                    | held old refresh
        answeredNothing    | -                                                    | held old refresh
        answeredLate       | -                                                    | held old refresh
        woke               | off, asks expiring, -                                | fetching old
        wokeLate           | -                                                    | held old refresh
        setToken           | off, sleeps 3600, -                                  | held new refresh
        setUnreadable      | tells payloadInvalid, off, sleeps 6, gives unreadable | held unreadable retry
        setNothing         | off, refuses forgotten                               | empty
        pause              | off, -                                               | paused old
        resume             | -                                                    | held old refresh
        leave              | off, -                                               | held old

        expired
        request            | off, asks expiring, -                                | fetching
        refusedPresent     | tells signatureInvalid, off, asks rejected, -         | fetching
        refusedOlder       | off, asks expiring, -                                | fetching
        succeeded          | -                                                    | held old refresh
        succeededOlder     | -                                                    | held old refresh
        answeredToken      | -                                                    | held old refresh
        answeredUnreadable | -                                                    | held old refresh
        answeredNothing    | -                                                    | held old refresh
        answeredLate       | -                                                    | held old refresh
        woke               | off, asks expiring, -                                | fetching old
        wokeLate           | -                                                    | held old refresh
        setToken           | off, sleeps 3540, -                                  | held new refresh
        setUnreadable      | tells payloadInvalid, off, sleeps 6, gives unreadable | held unreadable retry
        setNothing         | off, refuses forgotten                               | empty
        pause              | off, -                                               | paused old
        resume             | -                                                    | held old refresh
        leave              | off, -                                               | held old

        wornOut
        request            | gives old                                            | held old
        refusedPresent     | tells signatureInvalid for good, off, refuses exhausted | exhausted
        refusedOlder       | gives old                                            | held old
        succeeded          | -                                                    | held old
        succeededOlder     | -                                                    | held old
        answeredToken      | -                                                    | held old
        answeredUnreadable | -                                                    | held old
        answeredNothing    | -                                                    | held old
        answeredLate       | -                                                    | held old
        woke               | -                                                    | held old
        wokeLate           | -                                                    | held old
        setToken           | off, sleeps 3600, -                                  | held new refresh
        setUnreadable      | tells payloadInvalid, off, sleeps 6, gives unreadable | held unreadable retry
        setNothing         | off, refuses forgotten                               | empty
        pause              | off, -                                               | paused old
        resume             | -                                                    | held old
        leave              | off, -                                               | held old

        doubting
        request            | gives unreadable                                     | held unreadable retry
        refusedPresent     | tells signatureInvalid, off, sleeps 6, -             | retrying
        refusedOlder       | gives unreadable                                     | held unreadable retry
        succeeded          | off, -                                               | held unreadable
        succeededOlder     | -                                                    | held unreadable retry
        answeredToken      | -                                                    | held unreadable retry
        answeredUnreadable | -                                                    | held unreadable retry
        answeredNothing    | -                                                    | held unreadable retry
        answeredLate       | -                                                    | held unreadable retry
        woke               | off, asks absent, -                                  | fetching unreadable
        wokeLate           | -                                                    | held unreadable retry
        setToken           | off, sleeps 7140, -                                  | held new refresh
        setUnreadable      | tells payloadInvalid, off, sleeps 6, gives unreadable | held unreadable retry
        setNothing         | off, refuses forgotten                               | empty
        pause              | off, -                                               | paused unreadable
        resume             | -                                                    | held unreadable retry
        leave              | off, -                                               | held unreadable

        fetching
        request            | -                                                    | fetching
        refusedPresent     | -                                                    | fetching
        refusedOlder       | -                                                    | fetching
        succeeded          | -                                                    | fetching
        succeededOlder     | -                                                    | fetching
        answeredToken      | off, sleeps 7140, gives new                          | held new refresh
        answeredUnreadable | tells payloadInvalid, off, sleeps 6, gives unreadable | held unreadable retry
        answeredNothing    | tells noToken, off, sleeps 6, -                      | retrying
        answeredLate       | -                                                    | fetching
        woke               | -                                                    | fetching
        wokeLate           | -                                                    | fetching
        setToken           | off, sleeps 7140, gives new                          | held new refresh
        setUnreadable      | tells payloadInvalid, off, sleeps 6, gives unreadable | held unreadable retry
        setNothing         | off, refuses forgotten                               | empty
        pause              | off, refuses paused                                  | paused
        resume             | -                                                    | fetching
        leave              | off, -                                               | empty

        refreshing
        request            | -                                                    | fetching old
        refusedPresent     | tells signatureInvalid, -                            | fetching
        refusedOlder       | -                                                    | fetching old
        succeeded          | -                                                    | fetching old
        succeededOlder     | -                                                    | fetching old
        answeredToken      | off, sleeps 3600, gives new                          | held new refresh
        answeredUnreadable | tells payloadInvalid, off, sleeps 6, gives unreadable | held unreadable retry
        answeredNothing    | tells noToken, off, sleeps 6, gives old              | held old retry
        answeredLate       | -                                                    | fetching old
        woke               | -                                                    | fetching old
        wokeLate           | -                                                    | fetching old
        setToken           | off, sleeps 3600, gives new                          | held new refresh
        setUnreadable      | tells payloadInvalid, off, sleeps 6, gives unreadable | held unreadable retry
        setNothing         | off, refuses forgotten                               | empty
        pause              | off, gives old                                       | paused old
        resume             | -                                                    | fetching old
        leave              | off, -                                               | held old

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
        woke               | off, asks absent, -                                  | fetching
        wokeLate           | -                                                    | retrying
        setToken           | off, sleeps 7140, gives new                          | held new refresh
        setUnreadable      | tells payloadInvalid, off, sleeps 6, gives unreadable | held unreadable retry
        setNothing         | off, refuses forgotten                               | empty
        pause              | off, refuses paused                                  | paused
        resume             | -                                                    | retrying
        leave              | off, -                                               | empty

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
        setToken           | off, sleeps 7140, -                                  | held new refresh
        setUnreadable      | tells payloadInvalid, off, sleeps 6, gives unreadable | held unreadable retry
        setNothing         | off, refuses forgotten                               | empty
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
        setToken           | off, sleeps 7140, -                                  | held new refresh
        setUnreadable      | tells payloadInvalid, off, sleeps 6, gives unreadable | held unreadable retry
        setNothing         | off, refuses forgotten                               | empty
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
        setToken           | off, sleeps 7140, -                                  | held new refresh
        setUnreadable      | tells payloadInvalid, off, sleeps 6, gives unreadable | held unreadable retry
        setNothing         | off, refuses forgotten                               | empty
        pause              | -                                                    | paused old
        resume             | off, sleeps 3540, -                                  | held old refresh
        leave              | -                                                    | paused old
        """
}
