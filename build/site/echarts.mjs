// What the page draws with: the parts of ECharts it uses and no others.
// build/site bundles this file into echarts.js, which defines window.echarts, and which the page
// asks for when a chart comes into sight first.
import * as echarts from 'echarts/core';
import { BarChart, LineChart, ScatterChart } from 'echarts/charts';
import {
  AriaComponent,
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  MarkAreaComponent,
  MarkLineComponent,
  TitleComponent,
  TooltipComponent,
} from 'echarts/components';
import { CanvasRenderer } from 'echarts/renderers';

echarts.use([
  BarChart, LineChart, ScatterChart,
  AriaComponent, DataZoomComponent, GridComponent, LegendComponent,
  MarkAreaComponent, MarkLineComponent, TitleComponent, TooltipComponent,
  CanvasRenderer,
]);

window.echarts = echarts;
dispatchEvent(new Event('echarts.js'));
