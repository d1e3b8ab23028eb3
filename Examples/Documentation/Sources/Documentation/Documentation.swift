// SPDX-License-Identifier: Apache-2.0

// A package needs a target to depend on products; there is nothing in it.
