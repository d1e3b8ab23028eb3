// SPDX-License-Identifier: Apache-2.0

/// The names of user attributes that have a meaning to the platform (user attributes, reserved keys).
public enum ReservedAttribute {
    /// The age.
    public static let age = "$Age"
    /// The first name.
    public static let firstName = "$FirstName"
    /// The last name.
    public static let lastName = "$LastName"
    /// The gender.
    public static let gender = "$Gender"
    /// The mobile number.
    public static let mobile = "$Mobile"
    /// The postal address.
    public static let address = "$Address"
    /// The city.
    public static let city = "$City"
    /// The state or region.
    public static let state = "$State"
    /// The postal code.
    public static let zip = "$Zip"
    /// The country.
    public static let country = "$Country"
}
