import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Page } from '../../ui/card';
import { SourcePicker } from '../../ui/source-picker';
import { TextFilter } from '../../ui/text-filter';
import { CatalogContentCard } from './content';
import { HistoryCard } from './history';
import { ImportsCard } from './imports';
import { IssueCards } from './issues';
import { StatesCard } from './states';

const route = getRouteApi('/shell/catalog');

/** Kinds of entities that can be looked up by their id, by their name in the address. */
const lookedUp = ['variant', 'product', 'seller', 'category'] as const;
const noEntity = { variant: undefined, product: undefined, seller: undefined, category: undefined };

/** The page Catalog: contents of all catalogs, the issues of one, and the history of an entity. The address holds the choices. */
export function CatalogPage() {
  const { catalog, source, variant, product, seller, category } = route.useSearch();
  return (
    <Page title="Catalog" question="What is in the catalogs, and what is wrong with them?">
      <CatalogFilters />
      <CatalogContentCard source={catalog} />
      {catalog !== undefined && (
        <>
          {variant !== undefined && <HistoryCard catalog={catalog} variant={variant} />}
          {product !== undefined && <StatesCard catalog={catalog} kind="product" id={product} />}
          {seller !== undefined && <StatesCard catalog={catalog} kind="seller" id={seller} />}
          {category !== undefined && <StatesCard catalog={catalog} kind="category" id={category} />}
          <IssueCards catalog={catalog} source={source} />
          <ImportsCard catalog={catalog} />
        </>
      )}
    </Page>
  );
}

type Chosen = Partial<Record<'catalog' | 'source' | (typeof lookedUp)[number], string | undefined>>;

function CatalogFilters() {
  const search = route.useSearch();
  const { catalog, source } = search;
  const navigate = useNavigate({ from: '/catalog' });
  const choose = (change: Chosen): void => {
    void navigate({ search: (now) => ({ ...now, ...change }), replace: true });
  };
  return (
    <form className="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <SourcePicker
        label="Source of the catalog"
        value={catalog ?? ''}
        onChange={(id) => choose({ catalog: id || undefined, ...noEntity })}
      />
      {catalog !== undefined && (
        <>
          <SourcePicker
            label="Source of the events"
            none="The same source"
            value={source ?? ''}
            onChange={(id) => choose({ source: id || undefined })}
          />
          {lookedUp.map((kind) => (
            <TextFilter
              key={kind}
              label={`Id of a ${kind}`}
              maxLength={255}
              value={search[kind] ?? ''}
              onSet={(id) => choose({ [kind]: id || undefined })}
            />
          ))}
        </>
      )}
    </form>
  );
}
