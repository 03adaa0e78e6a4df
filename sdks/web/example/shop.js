// The code that a shop writes itself. The bundle may still be on its way: the snippet keeps the calls with their time.
sluice.track('page_view', { path: location.pathname });

document.addEventListener('click', ({ target }) => {
  const { product, price } = target.dataset;
  if (product === undefined) return;
  sluice.track('product_added', { product, price: Number(price) });
  document.getElementById('basket').textContent = `In the basket: ${product}.`;
});
