/** Names of the shop's people and products. */
export const firstNames = [
  'Ada',
  'Zoë',
  'Omid',
  'Lena',
  'Noor',
  'Jonas',
  'Mina',
  'Pavel',
  'Ines',
  'Kofi',
  'Sara',
  'Yuki',
];
export const lastNames = [
  'Abel',
  'Brandt',
  'Costa',
  'Dogan',
  'Ekström',
  'Farahani',
  'Garcia',
  'Haas',
  'Ivanova',
  'Okafor',
];
export const cities = ['Köln', 'Shiraz', 'Porto', 'Graz', 'Malmö', 'Lyon', 'Gdańsk', 'Turku'];
export const locales = ['de-DE', 'fa-IR', 'pt-PT', 'de-AT', 'sv-SE', 'fr-FR', 'pl-PL', 'fi-FI'];
export const plans = ['free', 'free', 'free', 'plus', 'premium'];
export const brands = ['Nordlicht', 'Saffron', 'Oak & Co', 'Velo', 'Brise', 'Kanto', 'Lumen'];
export const adjectives = ['light', 'warm', 'quiet', 'sturdy', 'small', 'folding', 'bright', 'soft'];
export const colours = ['black', 'blue', 'sand', 'green', 'red'];

/** Category trees: a root and its leaves, each with the things sold there. */
export const departments = [
  {
    name: 'Home',
    leaves: { Kitchen: ['kettle', 'pan', 'knife'], Lighting: ['lamp', 'lantern'], Textiles: ['blanket', 'rug'] },
  },
  { name: 'Outdoor', leaves: { Cycling: ['bicycle', 'helmet', 'pump'], Camping: ['tent', 'stove', 'hammock'] } },
  {
    name: 'Fashion',
    leaves: { Shoes: ['boot', 'sneaker', 'sandal'], Jackets: ['parka', 'rain jacket'], Bags: ['backpack', 'tote'] },
  },
  { name: 'Media', leaves: { Books: ['novel', 'atlas', 'cookbook'], Games: ['board game', 'puzzle'] } },
] as const;
