/**
 * Default masks, until an admin chooses others. Names are compared without case, `_`, `-` and spaces. `*` stands for any
 * text; after `~` stand the last words of a name: `~ip` covers `ip`, `clientIp` and `client_ips`, not `ship`.
 */
export const defaultMasks: readonly string[] = [
  // Ways to reach a person.
  ...['*email*', '~mail', '*phone*', '*mobile*', '*msisdn*', '*contact*', '*whatsapp*', '~tel', '~fax', '~cell-number'],
  // Places of a person.
  ...['*address*', '~addr', '~street', '*street-name*', '*street-number*', '*house-number*', '~apartment', '~po-box'],
  ...['*postal-code*', '*post-code*', '~postal', '*zip-code*', '~zip', '~plz', '*latitude', '*longitude', '~lat'],
  ...['~lng', '~lon', '~ip', '~ipv4', '~ipv6'],
  // Names of people. A bare `name` is more often that of a thing.
  ...['*first-name*', '*last-name*', '*full-name*', '*surname*', '*family-name*', '*given-name*', '*middle-name*'],
  ...['*maiden-name*', '*nick-name*', '*user-name', '*customer-name', '*display-name', '*legal-name', '~person-name'],
  ...['~recipient-name', '~receiver-name', '~sender-name', '~holder-name', '~buyer-name', '~payer-name', '~guest-name'],
  ...['~passenger-name', '~patient-name', '~employee-name', '~student-name', '~father-name', '~mother-name'],
  ...['~owner-name', '~beneficiary-name', '*card-holder*', '*account-holder*', '~fname', '~lname', 'traits.name'],
  ...['user.name', 'customer.name', 'person.name', 'profile.name', 'recipient.name', 'buyer.name', 'billing.name'],
  ...['shipping.name'],
  // Numbers of documents, and dates of birth.
  ...['*national*id*', '*national-code*', '*national-number*', '*national-insurance*', '*passport*', '~ssn'],
  ...['*social-security*', '~tax-id', '~tax-number', '~vat-number', '*driver*licen*', '~licence-number'],
  ...['~license-number', '~identity-number', '~id-number', '~personal-code', '~cpf', '~bsn', '~pesel', '~aadhaar'],
  ...['*birth*', '~dob', '~bday'],
  // Money.
  ...['*iban*', '~sheba', '*card*number*', '*card-no', '*credit-card*', '*debit-card*', 'pan', '~card-pan', '~cvv'],
  ...['~cvc', '*security-code*', '*card-expir*', '*bank-account*', '~account-number', '~account-no', '~routing-number'],
  ...['~sort-code'],
  // Secrets and credentials.
  ...['*passw*', '*passcode*', '*passphrase*', '~pwd', '~pin', '~pin-code', '~otp', '~totp', '*verification-code*'],
  ...['*token*', '*secret*', '*credential*', '*api-key*', '*write-key*', '*private-key*', '*access-key*', '~auth-key'],
  ...['~signing-key', '~encryption-key', '~session-key', '~license-key', '~ssh-key', 'properties.key', '~auth'],
  ...['*authorization*', '*jwt*', '~bearer', '~cookie', '~csrf'],
];
