// What the page draws with: the parts of ECharts it uses and no others.
// build/site bundles this file into echarts.js, which defines window.echarts.
import * as echarts from 'echarts/core';
import { BarChart, CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import {
  AriaComponent,
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  TitleComponent,
  TooltipComponent,
} from 'echarts/components';
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers';

echarts.use([
  BarChart, CustomChart, LineChart, ScatterChart,
  AriaComponent, DataZoomComponent, GridComponent, LegendComponent,
  MarkLineComponent, TitleComponent, TooltipComponent,
  CanvasRenderer, SVGRenderer,
]);

window.echarts = echarts;
