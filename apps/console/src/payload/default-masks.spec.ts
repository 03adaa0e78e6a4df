import { describe, expect, it } from 'vitest';
import { defaultMasks } from './default-masks.js';
import { PayloadMasks } from './masks.js';

const masks = new PayloadMasks(defaultMasks, 'secret');
const shown = (value: unknown): string => masks.show(JSON.stringify(value), true).json;
const secret = 'quokka';

const personal = [
  ...['fullName', 'full_name', 'full-name', 'Full Name', 'FULLNAME', 'fullname', 'customerFullName', 'name.fullName'],
  ...['firstName', 'first_name', 'LastName', 'last-name', 'surname', 'userSurname', 'familyName', 'givenName', 'fname'],
  ...['middle_name', 'nickname', 'username', 'user_name', 'customerName', 'recipient_name', 'cardholderName', 'lname'],
  ...['fatherName', 'traits.name', 'shipping.name', 'nationalCode', 'national_code', 'nationalId', 'national-id'],
  ...['ssn', 'SSN', 'customer_ssn', 'userSSN', 'ssn2', 'passport', 'passportNo', 'taxId', 'tax_id', 'idNumber', 'dob'],
  ...['DOB', 'customerDob', 'birthday', 'birthDate', 'date_of_birth', 'pwd', 'userPwd', 'password', 'newPassword'],
  ...[
    'passwd',
    'passcode',
    'pin',
    'cardPin',
    'card_pin',
    'PIN',
    'otp',
    'otpCode.otp',
    'cvv',
    'cvv2',
    'cvc',
    'ip',
    'IP',
  ],
  ...['clientIp', 'clientIP', 'client_ip', 'client-ip', 'remoteIPs', 'ip_address', 'ipv4', 'lastLoginIP', 'context.ip'],
  ...['apiKey', 'api_key', 'x-api-key', 'APIKey', 'writeKey', 'private_key', 'accessKeyId', 'clientSecret', 'secret'],
  ...['accessToken', 'refresh_token', 'id-token', 'csrfToken', 'jwt', 'auth', 'Authorization', 'cookie', 'cookies'],
  ...[
    'credentials',
    'iban',
    'customerIBAN',
    'sheba',
    'cardNumber',
    'card_number',
    'cardNo',
    'creditCard',
    'expiry.pan',
  ],
  ...['accountNumber', 'bank_account', 'address', 'addressLine1', 'street', 'street_name', 'houseNumber', 'postalCode'],
  ...['postcode', 'zip', 'zipCode', 'zip_code', 'shippingZip', 'lat', 'lng', 'geo.latitude', 'phone', 'phoneNumber'],
  ...['homePhone', 'phone2', 'mobile', 'mobileNumber', 'tel', 'homeTel', 'fax', 'msisdn', 'email', 'eMail', 'e-mail'],
  ...['workEmail', 'mail', 'contact', 'properties.key'],
];

const impersonal = [
  ...['shipping', 'shippingMethod', 'description', 'pinned', 'isPinned', 'pinCount', 'ship', 'tip', 'trip', 'zipper'],
  ...['recipe', 'equipment', 'script', 'subscription', 'spin', 'opinion', 'skip', 'clip', 'tips', 'membership'],
  ...['name', 'productName', 'product_name', 'pageName', 'eventName', 'browserName', 'brandName', 'category.name'],
  ...['keyboard', 'monkey', 'keywords', 'key', 'sortKey', 'author', 'authorId', 'lesson', 'session', 'classname'],
  ...['hotel', 'telescope', 'motel', 'intel', 'salon', 'flat', 'plat', 'latency', 'long', 'city', 'country', 'region'],
  ...['language', 'company', 'panel', 'span', 'adobe', 'total', 'price', 'quantity', 'event', 'plan', 'currency'],
  ...['ipod_model', 'fullScreen', 'firstVisit', 'lastSeen', 'codec', 'barcode', 'zipline', 'pinterest', 'streetwear'],
  ...['taxonomy', 'taxidermy', 'dobro', 'cvvless', 'upwd1x', 'mailbox_count', 'userAgentName', 'card_type', 'isbn'],
];

describe('names', () => {
  it.each(personal)('covers %s', (name) => {
    expect(shown({ [name]: secret }), 'with dots').not.toContain(secret);
    const nested = name.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), secret);
    expect(shown([{ a: nested }]), 'nested, in a list').not.toContain(secret);
    expect(shown({ body: JSON.stringify(nested) }), 'as a text').not.toContain(secret);
  });

  it.each(impersonal)('does not cover %s', (name) => expect(shown({ [name]: secret })).toContain(secret));

  it('leaves room for those of an admin', () => expect(new Set(defaultMasks).size).toBeLessThan(180));

  it.each(['aB', 'a_', 'first', 'A', '1a'])('takes no more than linear time for a long name of %s', (part) => {
    const timeOf = (length: number): number => {
      const name = part.repeat(length / part.length);
      const times = [0, 1, 2].map(() => {
        const before = process.cpuUsage();
        shown({ [name]: secret });
        return process.cpuUsage(before).user / 1_000;
      });
      return Math.min(...times);
    };
    // Four times the length takes four times the processor time, and 16 times if it were quadratic.
    expect(timeOf(120_000)).toBeLessThan(10 * Math.max(timeOf(30_000), 10));
  });
});
