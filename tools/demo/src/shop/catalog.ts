import { type Category, type FreeForm, type Product, type ProductVariant, type Seller } from '@sluice/contracts';
import { type Call } from '../call.js';
import { type Random } from '../random.js';
import { adjectives, brands, colours, departments, firstNames, lastNames } from './names.js';

/** A variant on sale; orders change its stock. */
export interface Variant extends Required<Pick<ProductVariant, 'variantId' | 'productId' | 'sellerId'>> {
  readonly price: number;
  readonly discountedPrice?: number;
  stock: number;
  readonly isAvailable: boolean;
  readonly isBuyBoxWinner: boolean;
  readonly attributes: FreeForm;
}

export interface Listing {
  readonly product: Product;
  /** One variant or more; the first wins the Buy Box. */
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

export function makeCatalog(random: Random): Catalog {
  const sellers = Array.from({ length: sellerCount }, (_, i) => aSeller(i + 1, random));
  const tree = departments.map(({ name, leaves }) => ({ root: aCategory(name), leaves: leavesOf(name, leaves) }));
  const categories = tree.flatMap(({ root, leaves }) => [root, ...leaves.map(({ category }) => category)]);
  const listings = tree.flatMap(({ leaves }) =>
    leaves.flatMap((leaf) => Array.from({ length: productsPerLeaf }, (_, i) => aListing(leaf, i + 1, sellers, random))),
  );
  return { sellers, categories, listings: listings.sort(() => random.next() - 0.5) };
}

/** Each entity as a message of the Sync API; entities come before those that refer to them. */
export const catalogCalls = ({ sellers, categories, listings }: Catalog): Call[] => [
  ...sellers.map((entity): Call => ({ api: 'catalog', endpoint: 'seller', entity })),
  ...categories.map((entity): Call => ({ api: 'catalog', endpoint: 'category', entity })),
  ...listings.map(({ product }): Call => ({ api: 'catalog', endpoint: 'product', entity: product })),
  ...listings.flatMap(({ variants }) => variants).map(variantCall),
  { api: 'catalog', endpoint: 'general', entity: { id: 'store-1', type: 'store', data: { city: 'Köln', seats: 12 } } },
];

/** Copies the variant, because its stock changes later. */
export const variantCall = (variant: Variant): Call => ({
  api: 'catalog',
  endpoint: 'productVariant',
  entity: { ...variant },
});

function aSeller(n: number, random: Random): Seller {
  const [firstName, lastName] = [random.pick(firstNames), random.pick(lastNames)];
  return {
    sellerId: `seller-${n}`,
    firstName,
    lastName,
    email: `seller-${n}@example.com`,
    isActive: n !== sellerCount,
    isBrand: n % 3 === 0,
    isMarketPlaceOwner: n === 1,
    attributes: { rating: random.whole(35, 50) / 10 },
  };
}

interface Leaf {
  readonly category: Category;
  readonly things: readonly string[];
}

const idOf = (name: string): string => name.toLowerCase().replaceAll(' ', '-');

const aCategory = (name: string, parent?: string): Category => ({
  categoryId: idOf(name),
  name,
  level: parent === undefined ? 0 : 1,
  isLeaf: parent !== undefined,
  ...(parent !== undefined && { parentCategoryId: idOf(parent) }),
  url: `${shopUrl}/c/${idOf(name)}`,
});

const leavesOf = (root: string, leaves: Readonly<Record<string, readonly string[]>>): Leaf[] =>
  Object.entries(leaves).map(([name, things]) => ({ category: aCategory(name, root), things }));

function aListing({ category, things }: Leaf, n: number, sellers: readonly Seller[], random: Random): Listing {
  const productId = `${category.categoryId}-${n}`;
  const name = `${random.pick(adjectives)} ${random.pick(things)}`;
  const price = random.whole(300, 20_000) / 100;
  const variants = Array.from({ length: random.whole(1, 3) }, (_, i): Variant => {
    const itsPrice = Math.round(price * (100 + 5 * i)) / 100;
    return {
      variantId: `${productId}-${i + 1}`,
      productId,
      sellerId: random.pick(sellers).sellerId,
      price: itsPrice,
      ...(random.chance(0.2) && { discountedPrice: Math.round(itsPrice * 80) / 100 }),
      stock: random.whole(20, 400),
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
