import { type Category, type FreeForm, type Product, type ProductVariant, type Seller } from '@sluice/contracts';
import { type CatalogEndpoint, type ShopCall } from '../call.js';
import { type SeededRandom } from '../random.js';
import { adjectives, brands, colours, departments, firstNames, lastNames } from './names.js';

/** A variant on sale; orders change its stock, and sellers their offers. */
export interface Variant extends Required<Pick<ProductVariant, 'variantId' | 'productId' | 'sellerId'>> {
  price: number;
  discountedPrice?: number | undefined;
  stock: number;
  isAvailable: boolean;
  isBuyBoxWinner: boolean;
  readonly attributes: FreeForm;
}

export interface Listing {
  readonly product: Product;
  /** One variant or more; the first wins the Buy Box in the beginning. */
  readonly variants: readonly Variant[];
}

export interface Catalog {
  readonly sellers: readonly Seller[];
  readonly categories: readonly Category[];
  readonly listings: readonly Listing[];
}

const shopUrl = 'https://shop.example.com';
const sellerCount = 8;
const productsPerLeaf = 6;

export function makeCatalog(random: SeededRandom): Catalog {
  const sellers = Array.from({ length: sellerCount }, (_, i) => makeSeller(i + 1, random));
  const tree = departments.map(({ name, leaves }) => ({ root: makeCategory(name), leaves: makeLeaves(name, leaves) }));
  const categories = tree.flatMap(({ root, leaves }) => [root, ...leaves.map(({ category }) => category)]);
  const makeListings = (leaf: Leaf): Listing[] =>
    Array.from({ length: productsPerLeaf }, (_, i) => makeListing(leaf, i + 1, sellers, random));
  const listings = shuffle(
    tree.flatMap(({ leaves }) => leaves.flatMap(makeListings)),
    random,
  );
  addIssues(listings);
  return { sellers, categories, listings };
}

const shuffle = <T>(list: readonly T[], random: SeededRandom): T[] => list.toSorted(() => random.next() - 0.5);

const store = { id: 'store-1', type: 'store', data: { city: 'Köln', seats: 12 } };

/**
 * Each entity as a message of the Sync API; entities come before those that refer to them.
 * @param updatedAt since when the offers are so, ISO 8601; since they arrive if left out, as all other entities
 */
export function listCatalogCalls({ sellers, categories, listings }: Catalog, updatedAt?: string): ShopCall[] {
  const call = (endpoint: CatalogEndpoint, entity: object): ShopCall => ({
    api: 'catalog',
    endpoint,
    entity,
  });
  return [
    ...sellers.map((seller) => call('seller', seller)),
    ...categories.map((category) => call('category', category)),
    ...listings.map(({ product }) => call('product', product)),
    ...listings.flatMap(({ variants }) => variants).map((variant) => variantCall(variant, updatedAt)),
    call('general', store),
  ];
}

/** Copies the variant, because its offer changes later. */
export const variantCall = (variant: Variant, updatedAt?: string): ShopCall => ({
  api: 'catalog',
  endpoint: 'productVariant',
  entity: { ...variant, ...(updatedAt !== undefined && { updatedAt }) },
});

function makeSeller(n: number, random: SeededRandom): Seller {
  const [firstName, lastName] = [random.pick(firstNames), random.pick(lastNames)];
  return {
    sellerId: `seller-${n}`,
    firstName,
    lastName,
    email: `seller-${n}@example.com`,
    isActive: n !== sellerCount,
    isBrand: n % 3 === 0,
    isMarketPlaceOwner: n === 1,
    attributes: { rating: random.wholeNumber(35, 50) / 10 },
  };
}

interface Leaf {
  readonly category: Category;
  readonly things: readonly string[];
}

/** Makes a few of the mistakes that feeds have, in listings that are looked at now and then: docs/tables.md#catalog_issues. */
function addIssues(listings: readonly Listing[]): void {
  const { 2: withoutWinner, 3: withUnknownSeller, 5: withFalseDiscount, 7: inUnknownCategory } = listings;
  for (const variant of withoutWinner?.variants ?? []) variant.isBuyBoxWinner = false;
  for (const variant of withUnknownSeller?.variants.slice(0, 1) ?? []) variant.sellerId = 'seller-gone';
  for (const variant of withFalseDiscount?.variants.slice(0, 1) ?? []) variant.discountedPrice = variant.price;
  if (inUnknownCategory) inUnknownCategory.product.categoryId = 'summer-sale';
}

const toId = (name: string): string => name.toLowerCase().replaceAll(' ', '-');

const makeCategory = (name: string, parent?: string): Category => ({
  categoryId: toId(name),
  name,
  level: parent === undefined ? 0 : 1,
  isLeaf: parent !== undefined,
  ...(parent !== undefined && { parentCategoryId: toId(parent) }),
  url: `${shopUrl}/c/${toId(name)}`,
});

const makeLeaves = (root: string, leaves: Readonly<Record<string, readonly string[]>>): Leaf[] =>
  Object.entries(leaves).map(([name, things]) => ({ category: makeCategory(name, root), things }));

function makeListing({ category, things }: Leaf, n: number, sellers: readonly Seller[], random: SeededRandom): Listing {
  const productId = `${category.categoryId}-${n}`;
  const name = `${random.pick(adjectives)} ${random.pick(things)}`;
  const price = random.wholeNumber(300, 20_000) / 100;
  const variants = Array.from({ length: random.wholeNumber(1, 3) }, (_, i): Variant => {
    const variantPrice = Math.round(price * (100 + 5 * i)) / 100;
    return {
      variantId: `${productId}-${i + 1}`,
      productId,
      sellerId: random.pick(sellers).sellerId,
      price: variantPrice,
      ...(random.chance(0.2) && { discountedPrice: Math.round(variantPrice * 80) / 100 }),
      stock: random.wholeNumber(20, 400),
      isAvailable: true,
      isBuyBoxWinner: i === 0,
      attributes: { colour: random.pick(colours) },
    };
  });
  const product: Product = {
    productId,
    name,
    brand: random.pick(brands),
    categoryId: category.categoryId,
    mainImage: `${shopUrl}/i/${productId}.jpg`,
    url: `${shopUrl}/p/${productId}`,
    totalStock: variants.reduce((sum, { stock }) => sum + stock, 0),
    isAvailable: true,
    description: `A ${name}, as everybody wants one.`,
  };
  return { product, variants };
}
