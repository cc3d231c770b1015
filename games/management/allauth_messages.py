"""Sentences of allauth that our own pages and emails show, and that we translate anew.

Its catalogues say “Sie” to German readers where we say “du”, and speak of passwords and databases.
Whatever stands here must exist there: a test looks it up.
"""

BORROWED: dict[str, tuple[str, ...]] = {
    "allauth": (
        # under the fields of signing in and of one's addresses
        "Email address",
        "Email",
        "Code",
        "This account is currently inactive.",
        "You cannot remove your primary email address.",
        "This email address is already associated with this account.",
        "A user is already registered with this email address.",
        "Incorrect code.",
        "The email address is not assigned to any user account.",
        "You cannot add more than %d email addresses.",
        "Your primary email address must be verified.",
        "The new value must be different from the current one.",
        "Be patient, you are sending too many requests.",
        # shown after an action
        "You cannot remove your primary email address (%(email)s).",
        "Unable to confirm %(email)s because it is already confirmed by a different account.",
        "Confirmation email sent to %(email)s.",
        "You have confirmed %(email)s.",
        "Removed email address %(email)s.",
        "Primary email address set.",
        # the second factor
        "Authenticator code",
        "Authenticator app activated.",
        "Authenticator app deactivated.",
        "You cannot add an email address to an account protected by two-factor authentication.",
        "You cannot activate two-factor authentication until you have verified your email address.",
        "You cannot deactivate two-factor authentication.",
    ),
}
